import { json } from 'node:stream/consumers';
import { html } from 'hono/html';
import { MINUTE } from '../../contract/time.ts';
import { EXIT, printable, runCommand } from '../command/command.ts';
import { type DeskApp, type Frame, localTime, page, plainPage, press } from '../sheet/frame.ts';
import { type Finding, headline, type Verdict } from './finding.ts';

const HEADINGS: Record<Verdict, string> = { wrong: 'Wrong', look: 'To look at', ok: 'Working' };

export function addCheck(app: DeskApp): void {
  // Checking takes a few seconds; the browser shows this until it has the next page.
  app.get('/check', (c) => {
    c.header('refresh', '0; url=/desk/check/findings');
    const words = 'It takes a few seconds, or minutes if a server doesn’t answer.';
    return c.html(plainPage(c.var.frame, 'Check', 'Checking …', words));
  });
  // If something is wrong, the command fails, but says all it found.
  const find = async (...options: string[]) => {
    const output = runCommand(['doctor', '--json', ...options], [EXIT.done, EXIT.failed]);
    return ((await json(output)) as { findings: Finding[] }).findings;
  };
  /** Shown again, without another test, after a reload or on the way back from a fix. */
  let tested: { findings: Finding[]; now: number } | undefined;
  app.get('/check/findings', async (c) => {
    const isRecent = tested && Date.now() - tested.now < 10 * MINUTE;
    const shown = c.req.query('tested') && isRecent ? tested : undefined;
    const { findings, now } = shown ?? { findings: await find(), now: Date.now() };
    const test = findings.find(({ id }) => id === 'test-mail');
    const said = test && `${test.what}: ${printable(test.found)}`;
    return c.html(findingsPage({ ...c.var.frame, now, said }, findings));
  });
  app.post('/check/test', async (c) => {
    tested = { findings: await find('--send-test'), now: Date.now() };
    return c.redirect('/desk/check/findings?tested=1', 303);
  });
}

function findingsPage(frame: Frame, findings: readonly Finding[]) {
  const main = html`<div class="head"><h1>${headline(findings)}</h1>
<p class="lead">As of ${localTime(frame.now, frame, {})}</p>
<div class="row"><a class="button" href="/desk/check">Check again</a>
${press(frame, '/desk/check/test', 'Send a test message')}</div></div>
${Object.entries(HEADINGS).map(([verdict, heading]) => {
  const found = findings.filter((finding) => finding.verdict === verdict);
  return found.length > 0 && html`<section class="group"><h2>${heading}</h2>${found.map(shown)}</section>`;
})}`;
  return page(frame, 'Check', main);
}

const shown = ({ verdict, what, found, todo = '', link }: Finding) =>
  html`<div class="finding"><b class="${verdict === 'wrong' && 'hot'}">${what}</b><p>${printable(found)}</p>
${todo && html`<p class="todo">→ <span>${link ? html`<a href="${link}">${printable(todo)}</a>` : printable(todo)}</span></p>`}</div>`;
