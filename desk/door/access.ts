import { randomBytes } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';

import { getCookie, setCookie } from 'hono/cookie';
import { secureHeaders } from 'hono/secure-headers';
import { sameText } from '../../server/http/client.ts';

const random = () => randomBytes(32).toString('base64url');

/** No scripts, nothing from elsewhere, in no frame. */
const HEADERS = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    fontSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
  // It's plain HTTP that never leaves the machine.
  strictTransportSecurity: false,
});

const SAME = {
  xFrameOptions: 'SAMEORIGIN',
  strictTransportSecurity: false,
} as const;

/** The page of words runs our own script, and shows the page itself in a frame. */
const EDITOR_HEADERS = secureHeaders({
  ...SAME,
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    connectSrc: ["'self'"],
    frameSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    fontSrc: ["'self'"],
    imgSrc: ["'self'", 'blob:'],
    formAction: ["'none'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

/** The page in that frame: as it's built, but without its scripts. */
const PREVIEW_HEADERS = secureHeaders({
  ...SAME,
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    fontSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    formAction: ["'none'"],
    baseUri: ["'none'"],
    frameAncestors: ["'self'"],
  },
});

export function headersFor(path: string): MiddlewareHandler {
  if (path.startsWith('/desk/words/page/')) return PREVIEW_HEADERS;
  return path === '/desk/words' ? EDITOR_HEADERS : HEADERS;
}

const isOpenToAll = (c: Context) => /^\/desk\/(enter|assets)\//.test(c.req.path);

export type Access = ReturnType<typeof createAccess>;
/** Answers with a page that says why, and what to do. */
type Refuse = (c: Context, why: string, todo: string) => Response | Promise<Response>;

/**
 * Lets in the browser that opened the link first. Other programs on this machine reach the port too, and so do other
 * people's pages in the same browser.
 */
export function createAccess(origin: string) {
  const { host, port } = new URL(origin);
  // Browsers send a cookie to every port of its host, so two desks need two names.
  const cookie = `desk-${port}`;
  const session = random();
  const secret = random();
  const token = random();
  let isUsed = false;

  const guard =
    (refuse: Refuse): MiddlewareHandler =>
    async (c, next) => {
      c.set('token', token);
      // A name of somebody's that leads here makes this page theirs to read (DNS rebinding).
      if (c.req.header('host') !== host) return refuse(c, 'This isn’t the desk.', `It’s at ${origin}/ only.`);
      if (isFromElsewhere(c)) {
        const todo = 'Copy the link from the terminal into the address bar.';
        return refuse(c, 'The desk doesn’t open from other pages.', todo);
      }
      if (isOpenToAll(c) || sameText(getCookie(c, cookie) ?? '', session)) return next();
      const todo = 'In its terminal, press Ctrl+C and run npm run desk again. That makes a new link.';
      return refuse(c, 'The desk isn’t open in this browser.', todo);
    };

  /** From another site, or another port of this machine, which browsers take for the same site. */
  function isFromElsewhere(c: Context): boolean {
    const site = c.req.header('sec-fetch-site');
    const sender = c.req.header('origin');
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
    if (sender === undefined) return c.req.method !== 'GET' && c.req.method !== 'HEAD';
    // Under `no-referrer`, browsers say "null" for our own forms too.
    return sender !== origin && !(sender === 'null' && site === 'same-origin');
  }

  function enter(c: Context): Response {
    // Whatever asks with HEAD is no browser that's opening it.
    if (isUsed || c.req.method !== 'GET' || !sameText(c.req.param('secret') ?? '', secret)) {
      return c.text(
        'This link has been used. In the terminal, press Ctrl+C and run npm run desk again.',
        403,
      );
    }
    isUsed = true;
    setCookie(c, cookie, session, { httpOnly: true, sameSite: 'Strict', path: '/desk' });
    // To an address without the secret.
    return c.redirect('/desk', 303);
  }

  return { link: `${origin}/desk/enter/${secret}`, guard, enter };
}
