import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { printable } from '../command/terminal.ts';
import { type DeskEnv, type Frame, page, plainPage, press } from '../sheet/frame.ts';
import type { Finding, Verdict } from './finding.ts';
import { byCheck, counts, headline } from './report.ts';

const WORST_FIRST: Verdict[] = ['wrong', 'look', 'ok'];
const COMMAND = [join(PROJECT_ROOT, 'desk/desk-command.ts'), 'doctor', '--json'];

/** What the command says, at /desk/check. */
export function checkRoutes(): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  // Looking takes some seconds; the browser shows this until it has the next page.
  routes.get('/', (c) => {
    c.header('refresh', '0; url=/desk/check/findings');
    const words = 'It takes a few seconds, and half a minute when somebody doesn’t answer.';
    return c.html(plainPage(c.var.frame, 'Check', 'Checking …', words));
  });
  // In a process of its own, and visitors are answered meanwhile. It fails where something is wrong, with all it found.
  const find = async (frame: Frame, ...options: string[]) => {
    const command = [...COMMAND, ...options];
    const { stdout } = await promisify(execFile)(process.execPath, command).catch((failed) => failed);
    return findingsPage(frame, JSON.parse(stdout).findings);
  };
  routes.get('/findings', async (c) => c.html(await find(c.var.frame)));
  routes.post('/test', async (c) => c.html(await find(c.var.frame, '--send-test')));
  return routes;
}

function findingsPage(frame: Frame, findings: readonly Finding[]) {
  const { ok, look } = counts(findings);
  const main = html`<div class="head">
<h1>${headline(findings)}</h1>
<p class="lead">${look} to look at, ${ok} well. <a href="/desk/check">Check again</a></p>
<div class="row">${press(frame, '/desk/check/test', 'Send a test all the way')}</div></div>
${byCheck(findings).map(
  ([title, found]) => html`<section class="group"><h2>${title}</h2>
${WORST_FIRST.flatMap((verdict) => found.filter((finding) => finding.verdict === verdict)).map(
  (finding) => html`<div class="finding is-${finding.verdict}"><span class="verdict">${finding.verdict}</span>
<div><b>${finding.what}</b><p>${printable(finding.found)}</p>${todoOf(finding)}</div></div>`,
)}</section>`,
)}`;
  return page(frame, 'Check', main);
}

/** With the way to where it's mended. */
const todoOf = ({ todo, link }: Finding) =>
  todo &&
  html`<p class="todo">→ <span>${link ? html`<a href="${link}">${printable(todo)}</a>` : printable(todo)}</span></p>`;
