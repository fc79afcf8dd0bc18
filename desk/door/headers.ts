import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

const NONE = ["'none'"];
const OWN = ["'self'"];

const headersWith = (policy: Record<string, string[]>) =>
  secureHeaders({
    contentSecurityPolicy: { defaultSrc: NONE, fontSrc: OWN, baseUri: NONE, ...policy, frameAncestors: NONE },
    // With none at all, browsers say of our own forms that they come from nowhere.
    referrerPolicy: 'same-origin',
    // Whoever fetches the certificate decides that, for the whole site.
    strictTransportSecurity: false,
    xFrameOptions: 'DENY',
  });

/** No scripts, nothing from elsewhere, in no frame. Of images, Firefox asks for the site's icon. */
const HEADERS = headersWith({ styleSrc: OWN, imgSrc: OWN, formAction: OWN });

/** The words' page runs our own script. The page that it shows in a frame has the same policy, and its styles within. */
const EDITOR_HEADERS = headersWith({
  scriptSrc: OWN,
  connectSrc: OWN,
  styleSrc: [...OWN, "'unsafe-inline'"],
  imgSrc: [...OWN, 'data:'],
  // The page has a form that sends messages.
  formAction: NONE,
});

export const headers: MiddlewareHandler = async (c, next) => {
  await (c.req.path.startsWith('/desk/words') ? EDITOR_HEADERS : HEADERS)(c, next);
  const isAsset = /^\/desk\/assets\//.test(c.req.path) && c.res.ok;
  c.header('cache-control', isAsset ? 'max-age=31536000, immutable' : 'no-store');
  c.header('x-robots-tag', 'noindex');
};
