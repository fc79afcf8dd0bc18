import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

const COMMON = {
  // With none at all, browsers say of our own forms that they come from nowhere.
  referrerPolicy: 'same-origin',
  // Whoever fetches the certificate decides that, for the whole site.
  strictTransportSecurity: false,
} as const;

/** No scripts, nothing from elsewhere, in no frame. */
const HEADERS = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    // The site's icon, which Firefox asks for
    imgSrc: ["'self'"],
    styleSrc: ["'self'"],
    fontSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  ...COMMON,
  xFrameOptions: 'DENY',
});

const SAME = { ...COMMON, xFrameOptions: 'SAMEORIGIN' } as const;

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

const policyFor = (path: string) =>
  path.startsWith('/desk/words/page') ? PREVIEW_HEADERS : path === '/desk/words' ? EDITOR_HEADERS : HEADERS;

export const headers: MiddlewareHandler = async (c, next) => {
  await policyFor(c.req.path)(c, next);
  const isAsset = /^\/desk\/assets\//.test(c.req.path) && c.res.ok;
  c.header('cache-control', isAsset ? 'max-age=31536000, immutable' : 'no-store');
  c.header('x-robots-tag', 'noindex');
};
