import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Desk } from '../command/desk.ts';
import { type DeskEnv, type Frame, page } from '../sheet/frame.ts';
import { type Step, stepsToReady } from './facts.ts';

/** The desk's first page, at /desk: what the site needs yet, and her messages once it needs nothing. */
export function readyRoutes(desk: Desk): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  routes.get('/', async (c) => {
    const steps = await stepsToReady(desk.settings(), await desk.database());
    if (steps.every(({ isDone }) => isDone)) return c.redirect('/desk/messages', 303);
    return c.html(readyPage(c.var.frame, steps));
  });
  return routes;
}

function readyPage(frame: Frame, steps: readonly Step[]) {
  const left = steps.filter(({ isDone }) => !isDone);
  const main = html`<div class="head">
<h1>Getting ready</h1>
<p class="lead">${steps.length - left.length} of ${steps.length} are done. This stays your first page until all of them are.</p>
</div>
<ol class="steps">${steps.map(
    ({ what, isDone, todo, link }) =>
      html`<li>${
        isDone
          ? html`<p class="step done"><b>${what}</b> <span>Done</span></p>`
          : html`<a class="step" href="${link}"><b>${what}</b> <span>${todo}</span></a>`
      }</li>`,
  )}</ol>`;
  return page(frame, 'Getting ready', main);
}
