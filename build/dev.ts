import { mkdir } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { getMimeType } from 'hono/utils/mime';
import { createServer as createViteServer, type Plugin } from 'vite';
import { cannotListen } from '../server/http/listen.ts';
import { ENGLISH, readSentences } from '../server/http/refusal-answers.ts';
import { openLogs } from '../server/log.ts';
import { escapeHtml } from '../server/mail/escape-html.ts';
import { StoreError } from '../server/messages/store-error.ts';
import { openService } from '../server/service.ts';
import { loadEnv, readSettings, type Settings, SettingsError, shortPath } from '../settings/settings.ts';
import { unknownSettings } from '../settings/unknown.ts';
import { assemble } from './assemble.ts';
import { checkLinks } from './check-links.ts';
import { checkWords } from './check-words.ts';
import { convertOldWords } from './convert-words.ts';
import { isServedByVite, refusal, SERVED_FOLDERS } from './dev-access.ts';
import { loadRenderer, loadStyles } from './live-page.ts';
import { WORDS_FILE } from './owners-words.ts';
import { BROWSER_ENTRY, ROOT, viteConfig } from './vite.ts';

const ENTRY = '/@dev-entry';
const WATCHED = [
  'site/styles/tokens.first.css',
  'site/styles/tokens.css',
  'site/styles/base.first.css',
  'site/styles/base.css',
  'site/drawings/drawing.first.css',
  'site/drawings/HeroPlan.first.css',
  'site/Page.tsx',
  'site/NotFound.tsx',
  'site/NotSent.tsx',
  'site/LegalPage.tsx',
  BROWSER_ENTRY,
];

/**
 * Sections ship no JavaScript, so hot reload wouldn't reach them. In development, the browser imports them without
 * running anything, so that Vite reloads or restyles the page when one changes.
 */
const watchSections: Plugin = {
  name: 'watch-sections',
  resolveId: (id) => (id === ENTRY ? id : null),
  load: (id) =>
    id === ENTRY ? WATCHED.map((path) => `import ${JSON.stringify(`/${path}`)};`).join('\n') : null,
};

async function main(): Promise<void> {
  const settings = readSettings(loadEnv());
  const { log } = await openLogs(settings.logLevel);
  const sentences = { ...ENGLISH };
  const service = await openService(settings, { log, sentences });
  const answerCall = getRequestListener(service.app.fetch);

  const server = createServer();
  // Before Vite's own listener, which only partly checks the host.
  server.on('upgrade', (request, socket) => {
    if (refusal(request, settings)) socket.destroy();
  });
  // Its watcher doesn't notice a folder that's made later.
  await mkdir(settings.wordsDir, { recursive: true });
  for (const note of await convertOldWords(settings.wordsDir)) console.log(note);
  const config = viteConfig(settings);
  const vite = await createViteServer({
    ...config,
    appType: 'custom',
    plugins: [...config.plugins, watchSections],
    // Otherwise Vite finds packages at the first visit and rebundles them while the page runs, with React twice.
    optimizeDeps: { entries: WATCHED },
    server: {
      middlewareMode: true,
      hmr: { server },
      cors: false,
      // `refusal` checks the host.
      allowedHosts: true,
      fs: { strict: true, allow: SERVED_FOLDERS.map((folder) => join(ROOT, folder)) },
    },
  });

  let latest: ReturnType<typeof render> | undefined;
  let broken = false;
  vite.watcher.on('all', () => {
    latest = undefined;
    // The error page imports nothing, so Vite has no reason to reload it.
    if (broken) vite.ws.send({ type: 'full-reload' });
  });

  async function render() {
    await checkWords(settings.wordsDir);
    const renderer = await loadRenderer(vite);
    Object.assign(sentences, readSentences(String(renderer.renderSentences().body)));
    const { files, pages } = await assemble(renderer, settings, await loadStyles(vite), ENTRY.slice(1));
    await checkLinks(pages['index.html'] ?? '', settings.wordsDir);
    return { pages, files: new Map(files.map(({ path, body }) => [`/${path}`, body])) };
  }

  server.on('request', (request, response) => {
    const { url = '/' } = request;
    const [path = '/'] = url.split('?', 1);
    const refused = refusal(request, settings);
    if (refused) {
      send(response, 403, 'text/plain; charset=utf-8', refused);
      return;
    }
    if (/^\/(functions|healthz|readyz)(\/|$)/.test(path)) {
      void answerCall(request, response);
      return;
    }
    if (path === '/') {
      void show('index.html', 200);
      return;
    }
    if (/^\/(privacy|terms)\/?$/.test(path)) {
      void show(`${path.split('/')[1]}/index.html`, 200);
      return;
    }
    if (isServedByVite(url)) vite.middlewares(request, response, () => void show('404.html', 404));
    else void show('404.html', 404);

    async function show(page: string, status: number): Promise<void> {
      try {
        latest ??= render();
        const { pages, files } = await latest;
        const file = files.get(path);
        if (file) return send(response, 200, getMimeType(path) ?? 'application/octet-stream', file);
        // Always '/', since Vite takes the path for a file name.
        const html = await vite.transformIndexHtml('/', pages[page] ?? pages['404.html'] ?? '');
        broken = false;
        send(response, page in pages ? status : 404, 'text/html; charset=utf-8', html);
      } catch (error) {
        latest = undefined;
        const text = error instanceof Error ? error.message : String(error);
        console.error(text);
        broken = true;
        send(response, 500, 'text/html; charset=utf-8', mistakePage(text));
      }
    }
  });

  server.once('error', (error) => {
    const known = cannotListen(error, settings);
    console.error(known instanceof Error ? known.message : known);
    process.exit(1);
  });
  server.listen(settings.port, settings.host, () => {
    const { port } = server.address() as AddressInfo;
    const rows = [
      [
        'The page',
        `http://localhost:${port}, changes as you save a file (after changes to .env, start it again)`,
      ],
      [
        'Your words',
        `${shortPath(join(settings.wordsDir, WORDS_FILE))}, which npm run desk writes for you (docs/make-it-yours.md)`,
      ],
      ['Messages', service.database.place],
      ['Mails', mailLine(settings, service.mailDestination)],
      ...unknownSettings().map((problem) => ['Look at', problem]),
      ['To stop', 'Ctrl+C'],
    ];
    console.log(`\n${rows.map(([label = '', text]) => `  ${label.padEnd(12)}${text}`).join('\n')}\n`);
  });

  let stopping = false;
  const stop = async () => {
    // Ctrl+C arrives twice: from the terminal and from npm.
    if (stopping) return;
    stopping = true;
    server.close();
    server.closeAllConnections();
    await vite.close();
    await service.close();
    process.exit(0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

/** If the settings have a mail server, development uses it too. */
function mailLine(
  { mail, contactEmail }: Pick<Settings, 'mail' | 'contactEmail'>,
  destination: string,
): string {
  return mail.via === 'folder'
    ? `written to ${mail.folder} as .eml files, which any mail program opens`
    : `REALLY SENT to ${contactEmail}, through ${destination}`;
}

/** Shows the error, and reloads once it's fixed. */
function mistakePage(text: string): string {
  return `<!doctype html><meta charset="utf-8"><title>A correction is needed</title>
<script type="module" src="/@vite/client"></script>
<pre style="max-width:60rem;margin:3rem auto;padding:0 1rem;font:1rem/1.6 monospace;white-space:pre-wrap">${escapeHtml(text)}</pre>`;
}

function send(response: ServerResponse, status: number, type: string, body: Uint8Array | string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof StoreError)) throw error;
  console.error(error.message);
  process.exit(1);
}
