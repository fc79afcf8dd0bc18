import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

const COMMON = {
  // With none at all, browsers say of our own forms that they come from nowhere.
  referrerPolicy: 'same-origin',
  // Whoever fetches the certificate decides that, for the whole site.
  strictTransportSecurity: false,
  xFrameOptions: 'DENY',
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
});

/** The words' page runs our own script. The page that it shows in a frame has the same policy, and its styles within. */
const EDITOR_HEADERS = secureHeaders({
  ...COMMON,
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    connectSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    fontSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    formAction: ["'none'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

export const headers: MiddlewareHandler = async (c, next) => {
  await (c.req.path.startsWith('/desk/words') ? EDITOR_HEADERS : HEADERS)(c, next);
  const isAsset = /^\/desk\/assets\//.test(c.req.path) && c.res.ok;
  c.header('cache-control', isAsset ? 'max-age=31536000, immutable' : 'no-store');
  c.header('x-robots-tag', 'noindex');
};
