import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { join } from 'node:path';
import PostalMime, { type Address, type Email } from 'postal-mime';
import { escapeHtml } from '../mail/escape-html.ts';
import { PALETTE } from '../mail/layout.ts';

/** Where `npm run dev` shows the mails that were written to files. */
export const MAILBOX = '/mailbox/';

export type MailboxAnswer = { status: number; headers: Record<string, string>; body: string };

/** A developer looks at the newest ones; reading thousands of files for each reload would take long. */
const SHOWN = 100;
const NAME = /^[\w-]+\.eml$/;

/**
 * Mails hold what visitors wrote. So only this machine may read them, whatever HOST is: by its address, and by
 * its name, since a stranger's page can point a name of its own at this machine.
 */
export function mayReadMails({ socket, headers }: IncomingMessage): boolean {
  const peer = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const host = URL.parse(`http://${headers.host}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  // A proxy on this machine passes on others.
  return isLoopback(peer) && (host === 'localhost' || isLoopback(host)) && !headers['x-forwarded-for'];
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

/** `/mailbox/` lists the mails in the folder, `/mailbox/FILE` is one, and `/mailbox/FILE/html` its HTML part. */
export async function mailbox(folder: string, path: string): Promise<MailboxAnswer> {
  if (`${path}/` === MAILBOX) return { status: 308, headers: { location: MAILBOX }, body: '' };
  const [name, part] = path.slice(MAILBOX.length).split('/').filter(Boolean);
  if (name === undefined) return page('Mailbox', await list(folder));
  const file = NAME.test(name) ? await readFile(join(folder, name)).catch(() => undefined) : undefined;
  if (!file) return page('No such mail', '<p>There is no such mail any more.</p>', 404);
  const mail = await PostalMime.parse(file);
  if (part === 'html') return htmlPart(mail);
  return page(mail.subject ?? name, show(mail, name));
}

async function list(folder: string): Promise<string> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name));
  if (names.length === 0) return '<p>No mail yet. Send a message with the form on the page.</p>';
  // They begin with their time.
  const newest = names.toSorted().toReversed().slice(0, SHOWN);
  const rows = await Promise.all(
    newest.map(async (name) => {
      const { subject, date } = await PostalMime.parse(await readFile(join(folder, name)));
      const words = `<a href="${MAILBOX}${name}" dir="auto">${escapeHtml(subject ?? name)}</a>`;
      return `<li>${words}<br><small>${escapeHtml(localTime(date))}</small></li>`;
    }),
  );
  const more = names.length > SHOWN ? `<p>The newest ${SHOWN} of ${names.length}.</p>` : '';
  return `<ul>${rows.join('\n')}</ul>${more}`;
}

function show(mail: Email, name: string): string {
  const { from, to, replyTo, date, text } = mail;
  const facts: [string, string][] = [
    ['From', addresses(from ? [from] : [])],
    ['To', addresses(to)],
    ['Reply to', addresses(replyTo)],
    ['Date', localTime(date)],
  ];
  const rows = facts
    .filter(([, value]) => value)
    .map(([label, value]) => `<dt>${label}</dt><dd dir="auto">${escapeHtml(value)}</dd>`);
  return `<p><a href="${MAILBOX}">All mails</a></p>
<dl>${rows.join('')}</dl>
<iframe title="The HTML part" sandbox="allow-popups" src="${MAILBOX}${name}/html"></iframe>
<h2>The text part</h2>
<pre dir="auto">${escapeHtml(text ?? '')}</pre>`;
}

function localTime(date: string | undefined): string {
  return date ? new Date(date).toLocaleString('en-CA', { dateStyle: 'full', timeStyle: 'medium' }) : '';
}

function addresses(list: Address[] | undefined): string {
  return (list ?? [])
    .map(({ name, address }) => (name ? `${name} <${address}>` : (address ?? '')))
    .join(', ');
}

/** As a mail program shows it: no script, nothing fetched. */
function htmlPart({ html }: Email): MailboxAnswer {
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-popups",
    },
    body: html ?? '',
  };
}

function page(title: string, content: string, status = 200): MailboxAnswer {
  const { light, dark } = PALETTE;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<script type="module" src="/@vite/client"></script>
<style>
:root{color-scheme:light dark;--ground:${light.ground};--ink:${light.ink};--quiet:${light['ink-quiet']};--label:${light.label};--rule:${light.rule}}
@media (prefers-color-scheme:dark){:root{--ground:${dark.ground};--ink:${dark.ink};--quiet:${dark['ink-quiet']};--label:${dark.label};--rule:${dark.rule}}}
body{max-width:46rem;margin:0 auto;padding:2rem 1rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--label)}small,dt{color:var(--quiet)}
ul{padding:0;list-style:none}li{padding:.75rem 0;border-top:1px solid var(--rule)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dd{margin:0}
iframe{width:100%;height:44rem;border:1px solid var(--rule)}
pre{padding:1rem;border:1px solid var(--rule);white-space:pre-wrap}
</style>
</head>
<body>
<h1 dir="auto">${escapeHtml(title)}</h1>
${content}
</body>
</html>
`;
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body,
  };
}
