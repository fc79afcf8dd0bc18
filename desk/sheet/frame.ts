import { globSync } from 'node:fs';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { BlankSchema } from 'hono/types';
import type { HtmlEscapedString } from 'hono/utils/html';
import { HOUR } from '../../contract/time.ts';
import { FOR_DESK } from '../../publish/program.ts';
import { pageName } from '../../server/mail/mails.ts';
import type { Database } from '../../server/messages/database.ts';
import { CLOCK, dayAt, format } from '../../server/messages/time.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Device } from '../door/devices.ts';

/* What every page of the desk has around it. */

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What a page shows about whoever asks for it. */
export type Frame = {
  /** The device's. Each form sends it back in its field `token`, each script in `x-desk-token`; or nothing is done. */
  token: string;
  settings: Settings;
  /** Milliseconds since 1970. */
  now: number;
  /** What the form did that led here. */
  said?: string | undefined;
};

export const PLACE = '/desk';

/** What the pages work on. */
export type Served = { settings: Settings; database: Database };

export type DeskEnv = {
  Variables: {
    /** Where the desk is for this browser: `https://www.example.com`. */
    origin: string;
    /** The browser's, if it was ever let in. */
    device: Device | undefined;
    frame: Frame;
  };
  /** What the HTTP server knows; absent if the app is called without one. */
  Bindings: Partial<HttpBindings>;
};
export type DeskApp = Hono<DeskEnv, BlankSchema, typeof PLACE>;
export type DeskContext = Context<DeskEnv>;

const PLACES = {
  '/desk/messages': 'Messages',
  '/desk/words': 'Words',
  '/desk/settings': 'Settings',
  '/desk/check': 'Check',
  '/desk/keep': 'Keep',
};

export const TOKEN = 'token';

export const form = ({ token }: Frame, action: string, body: Html) =>
  html`<form method="post" action="${action}"><input type="hidden" name="${TOKEN}" value="${token}">${body}</form>`;

export const press = (frame: Frame, action: string, words: string, isMain = false) =>
  form(frame, action, html`<button class="button ${isMain && 'button-main'}">${words}</button>`);

/** The table in the corner of a drawing. */
export const titleBlock = (rows: readonly (readonly [label: string, value: Html | string])[]) =>
  html`<dl class="block">${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;

/** The path of the one file with this name: its hash follows its content, since browsers keep it for good. */
const assetPath = (name: string) => `${PLACE}/assets/${globSync(name, { cwd: FOR_DESK })[0]}`;

export const document = (title: string, body: Html, more?: Html) =>
  html`<!doctype html>
<html lang="en-CA">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Desk</title>
<link rel="stylesheet" href="${assetPath('desk-*.css')}">
${more}
</head>
<body>${body}</body>
</html>`;

const top = ({ settings }: Frame, title: string) => html`<header class="top">
<a class="home" href="/desk"><b>Desk</b> <span>of ${pageName(settings.siteUrl)}</span></a>
<nav aria-label="Desk">${Object.entries(PLACES).map(
  ([path, name]) => html`<a href="${path}"${current(name === title, 'page')}>${name}</a>`,
)}</nav>
</header>`;

/** For the link to where she is. */
export const current = (isHere: boolean, kind: 'page' | 'true' = 'true') =>
  isHere ? html` aria-current="${kind}"` : '';

export const page = (frame: Frame, title: string, main: Html) =>
  document(
    // Screen readers begin with the title, and skip a status that's there from the start.
    frame.said ? `${frame.said} ${title}` : title,
    html`${top(frame, title)}
<div class="drawing">
<main>
${frame.said && html`<p class="notice" role="status">${frame.said}</p>`}
${main}
</main>
<footer>${titleBlock([
      ['Sheet', title],
      ['Drawn', `${whenCame(frame.now, frame)}, ${placeOf(frame.settings.timeZone)} time`],
    ])}</footer>
</div>`,
  );

const placeOf = (timeZone: string) => timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? timeZone;

export const plainPage = (frame: Frame, title: string, heading: string, words: Html | string) =>
  page(frame, title, html`<div class="head"><h1>${heading}</h1><p class="lead">${words}</p></div>`);

/** The page around the editor of words, which its script fills. */
export const wordsPage = (frame: Frame) =>
  document(
    'Words',
    html`<div class="words-page">${top(frame, 'Words')}
<main id="editor"><noscript><p class="lead">Changing words here needs JavaScript, which is off in this browser.</p></noscript></main></div>`,
    html`<link rel="stylesheet" href="${assetPath('editor-*.css')}"><meta name="token" content="${frame.token}"><script type="module" src="${assetPath('editor-*.js')}"></script>`,
  );

const DAY: Intl.DateTimeFormatOptions = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' };

/** `Sat, Nov 21, 2026, 14:05` */
export function localTime(time: number, { settings: { timeZone } }: Frame, date = DAY): string {
  return format(time, { ...date, ...CLOCK, timeZone });
}

/** `today, 14:05`, `yesterday, 14:05`, or like `localTime`. */
export function whenCame(time: number, frame: Frame): string {
  const [day = '', today = ''] = [time, frame.now].map((at) => dayAt(at, frame.settings.timeZone));
  // By the calendar: one day a year has 23 hours, and one 25.
  const yesterday = dayAt(Date.parse(today) - 24 * HOUR, 'UTC');
  const name = day === today ? 'today' : day === yesterday && 'yesterday';
  return name ? `${name}, ${localTime(time, frame, {})}` : localTime(time, frame);
}
