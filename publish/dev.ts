import { execFile } from 'node:child_process';
import { mkdirSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { listen } from '../server/http/listen.ts';
import { loadStaticFiles } from '../server/http/static.ts';
import { openLogs } from '../server/log.ts';
import { escapeHtml } from '../server/mail/sheet.ts';
import { openService, type Service } from '../server/service.ts';
import { loadEnv, PROJECT_ROOT, readSettings } from '../settings/settings.ts';
import { DIST } from './publish.ts';

// `npm run dev`: builds the site and shows it to this machine alone. After a change it's built again, and open pages reload.
const RELOAD = `const [, was] = document.currentScript.src.split('?');
setInterval(() => fetch('/@version').then(async (is) => (await is.text()) !== was && location.reload(), () => {}), 500);`;

const settings = readSettings(loadEnv());
const { log } = openLogs(settings.logLevel);
let service: Service | undefined;
let fault = '';
let version = 0;

async function build(): Promise<void> {
  // In a process of its own, so that changes of publish/ count, too.
  fault = await promisify(execFile)(process.execPath, [join(PROJECT_ROOT, 'publish/publish.ts')]).then(
    () => '',
    ({ stderr }) => String(stderr),
  );
  if (fault) console.error(fault);
  else {
    const before = service;
    service = await openService(settings, { log, pages: loadStaticFiles(DIST) });
    await before?.close();
  }
  version = Date.now();
}

const withReload = (html: string, init: { status: number; headers: HeadersInit }) =>
  new Response(`${html}<script src="/@reload.js?${version}"></script>`, init);

async function answer(request: Request, env?: object): Promise<Response> {
  const { hostname, pathname } = new URL(request.url);
  // A stranger's page may lead its own name to this machine.
  if (!/^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)) return new Response(null, { status: 403 });
  if (pathname === '/@version') return new Response(String(version));
  if (pathname === '/@reload.js')
    return new Response(RELOAD, { headers: { 'content-type': 'text/javascript' } });
  await first;
  const type = { 'content-type': 'text/html; charset=utf-8' };
  if (fault || !service) return withReload(`<pre>${escapeHtml(fault)}</pre>`, { status: 500, headers: type });
  // A packed page couldn't be added to.
  request.headers.delete('accept-encoding');
  const found = await service.app.fetch(request, env);
  if (!found.headers.get('content-type')?.startsWith('text/html')) return found;
  for (const name of ['content-length', 'etag']) found.headers.delete(name);
  return withReload(await found.text(), found);
}

const { port } = await listen(answer, { ...settings, host: 'localhost' });
const first = build();
let last = first;
let isDue = false;
mkdirSync(settings.wordsDir, { recursive: true });
for (const folder of ['publish', 'contract', 'site', settings.wordsDir])
  watch(resolve(PROJECT_ROOT, folder), { recursive: true }, async () => {
    if (isDue) return;
    isDue = true;
    // An editor writes more than once.
    await Promise.all([last, wait(100)]);
    isDue = false;
    last = build();
  });
await first;
const { mail, contactEmail } = settings;
const mails = mail.via === 'folder' ? `written to ${mail.folder}` : `REALLY SENT to ${contactEmail}`;
console.log(`\n  The page  http://localhost:${port}, built again as you save a file\n  Mails     ${mails}\n`);
