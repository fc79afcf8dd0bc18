import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie';
import type { BlankSchema } from 'hono/types';
import { pageName } from '../../server/mail/mails.ts';
import type { Desk } from '../desk.ts';
import { whenCame } from '../time.ts';
import type { Frame } from './frame.tsx';

/** Where the desk is on the site's own server. Every link of its pages starts with it. */
export const PLACE = '/desk';
const SAID = 'desk-said';

export type DeskEnv = {
  Variables: {
    /** Every form that changes something sends it back in its field `token`, and every script in `x-desk-token`. */
    token: string;
  };
  /** What the HTTP server knows; absent if the app is called without one. */
  Bindings: Partial<HttpBindings>;
};

export type DeskApp = Hono<DeskEnv, BlankSchema, typeof PLACE>;
export type DeskContext = Context<DeskEnv>;

export type Sheet = {
  /** What's the same on every page. It tells once what the last form did. */
  frame(c: DeskContext): Promise<Frame>;
  /** Redirects, so that reloading the next page doesn't do it again. `next` starts with /desk. */
  done(c: DeskContext, next: string, ...said: string[]): Promise<Response>;
};

/** @param css the style sheet's path */
export function createSheet(desk: Desk, css: string): Sheet {
  return {
    async frame(c) {
      const { timeZone, siteUrl } = desk.settings();
      const now = Date.now();
      const location = timeZone.split('/').at(-1)?.replaceAll('_', ' ');
      return {
        css,
        notices: await takeNotices(c),
        site: `of ${pageName(siteUrl)}`,
        drawn: `${whenCame(now, now, timeZone)}, ${location} time`,
        token: c.var.token,
      };
    },
    async done(c, next, ...said) {
      const how = { path: PLACE, httpOnly: true, sameSite: 'Lax', maxAge: 60 } as const;
      await setSignedCookie(c, SAID, JSON.stringify(said), c.var.token, how);
      return c.redirect(next, 303);
    },
  };
}

/** What the last form did. Only this browser has it, and shows it once. */
async function takeNotices(c: DeskContext): Promise<string[]> {
  const said = c.var.token ? await getSignedCookie(c, c.var.token, SAID) : undefined;
  if (said === undefined) return [];
  deleteCookie(c, SAID, { path: PLACE });
  return said ? JSON.parse(said) : [];
}
