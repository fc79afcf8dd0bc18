import { Hono } from 'hono';
import { html } from 'hono/html';
import { type DeskEnv, type Frame, page, plainPage } from '../sheet/frame.ts';
import { count, printable } from '../terminal.ts';
import type { Finding, Question, Verdict } from './check.ts';
import { examine } from './examine.ts';
import { ANSWERS, counts, QUESTIONS, worst } from './report.ts';

const WORST_FIRST: Verdict[] = ['wrong', 'look', 'ok'];

/** What the command says, at /desk/check. */
export function checkRoutes(): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  // Looking takes some seconds; the browser shows this until it has the next page.
  routes.get('/', (c) => {
    c.header('refresh', '0; url=/desk/check/findings');
    const words = 'It takes a few seconds, and half a minute when somebody doesn’t answer.';
    return c.html(plainPage(c.var.frame, 'Check', 'Checking …', words));
  });
  routes.get('/findings', async (c) => c.html(findingsPage(c.var.frame, await examine([], {}))));
  return routes;
}

function findingsPage(frame: Frame, findings: readonly Finding[]) {
  const { ok, look, wrong } = counts(findings);
  const main = html`<div class="head">
<h1>${wrong > 0 ? `${count(wrong, 'thing')} ${wrong === 1 ? 'is' : 'are'} wrong.` : 'Nothing is wrong.'}</h1>
<p class="lead">${look} to look at, ${ok} well. <a href="/desk/check">Check again</a></p></div>
${(Object.keys(QUESTIONS) as Question[]).map((question) => {
  const asked = findings.filter((finding) => finding.question === question);
  if (asked.length === 0) return '';
  const own = WORST_FIRST.flatMap((verdict) => asked.filter((finding) => finding.verdict === verdict));
  return html`<section><h2>${QUESTIONS[question]} ${ANSWERS[question][worst(own)]}</h2>
${own.map(
  ({ what, verdict, found, todo }) => html`<div class="finding is-${verdict}">
<span class="verdict">${verdict}</span><b>${what}</b><p>${printable(found)}</p>${todo && html`<p>→ ${printable(todo)}</p>`}</div>`,
)}</section>`;
})}`;
  return page(frame, 'Check', main);
}
