import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { HOUR, MINUTE } from '../../contract/time.ts';
import { sameText } from '../../server/http/client.ts';
import type { Unhurried } from '../../server/http/listen.ts';
import type { Log } from '../../server/log.ts';
import type { Mail, Mailer } from '../../server/mail/transport.ts';
import { noteDelivered } from '../../server/messages/claims.ts';
import { deliveredWith } from '../../server/messages/last-done.ts';
import { SETTINGS } from '../../settings/schema.ts';
import { PROJECT_ROOT, readEnvFile } from '../../settings/settings.ts';
import { withValue, writeEnv } from '../settings/env-file.ts';
import { type DeskApp, type DeskContext, type DeskEnv, PLACE, type Served, TOKEN } from '../sheet/frame.ts';
import { deviceName, LONGEST_MS, openDevices } from './devices.ts';
import { LINK_MS, openKey, openLinks, STRANGER } from './links.ts';
import { linkMail, movedMail, newDeviceMail } from './mails.ts';
import * as show from './pages.ts';
import { deskAddress, originFor, pathBelowDesk, publicOrigin } from './place.ts';

export type DoorParts = Served & { mailer: Mailer; log: Log };

const COOKIE = 'desk';
const NEXT = 'desk-next';
/** What a browser gets beside a link, to be let in again if the answer to its button was lost. */
const BESIDE = 'desk-beside';
/** What a form did, for the page that it leads to. */
const SAID = 'desk-said';
/** For a form without files. */
const MOST_BYTES = 1_000_000;
/** A mail that isn't taken at once is retried while its link is good. */
const PAUSES_MS = [0, MINUTE, 5 * MINUTE, 10 * MINUTE];
const SEND_MS = 5 * MINUTE;
/** Less than a restarting server, as with a new address, gives to an answer in progress. */
const TELL_MS = 5_000;

const isForm = ({ req }: DeskContext) =>
  /^application\/x-www-form-urlencoded\b/i.test(req.header('content-type') ?? '');
const isRead = ({ req }: DeskContext) => req.method === 'GET' || req.method === 'HEAD';

/** Keeps everyone but the owner from all routes that are added after it. */
export function addDoor(app: DeskApp, { settings, database, mailer, log }: DoorParts): void {
  const { contactEmail } = settings;
  const sign = openKey(settings);
  const links = openLinks(database, sign);
  const devices = openDevices(database);
  const site = publicOrigin(settings.siteUrl);
  const canMail = settings.mail.via === 'smtp';

  async function mail(composed: Mail): Promise<void> {
    for (const pause of PAUSES_MS) {
      await wait(pause, undefined, { ref: false });
      try {
        await mailer(composed, AbortSignal.timeout(SEND_MS));
        return void noteDelivered(database, deliveredWith(settings), Date.now()).catch(() => undefined);
      } catch (error) {
        log.warn({ err: error }, 'an email from the desk was not accepted');
      }
    }
  }

  app.use(async (c, next) => {
    const origin = originFor(c.req.raw, c.env?.incoming, site);
    if (!origin) return c.html(show.elsewherePage(site), 404);
    c.set('origin', origin);
    // `hono/csrf` is content with either of these, and ignores JSON; here neither may be wrong.
    const isFromHere =
      c.req.header('origin') === origin &&
      // Safari 15.6 doesn't send it.
      ['same-origin', undefined].includes(c.req.header('sec-fetch-site'));
    if (!isRead(c) && !isFromHere) return c.html(show.foreignPage(origin), 403);
    const now = Date.now();
    const cookie = readCookie(c, COOKIE);
    const device = cookie ? await devices.find(cookie, now) : undefined;
    c.set('device', device);
    const token = device?.isIn ? sign('form', device.id) : '';
    const kept = isRead(c) ? readCookie(c, SAID) : undefined;
    if (kept) keepCookie(c, SAID, '', 0);
    // Another site on this domain or machine can set this cookie, but not with the token.
    const said = token && kept?.startsWith(token) ? kept.slice(token.length) : undefined;
    c.set('frame', { token, settings, now, said });
    if (device?.isIn) await devices.noteSeen(device, now);
    return next();
  });

  // No body is read from anyone who isn't signed in: it may never end.
  // They have no token yet, and need none: whoever asks, she gets the mail.
  app.post('/link', async (c) => {
    if (canMail) {
      const link = await links.toMail(c.var.device?.id ?? STRANGER, contactEmail, Date.now());
      // Everyone gets the same answer at once, whether or not a link is mailed.
      if (link)
        void mail(linkMail(`${deskAddress(settings, c.var.origin)}/in/${link.token}`, link.until, settings));
    }
    keepCookie(c, NEXT, pathBelowDesk(c.req.query('next')), HOUR / 1000);
    return c.redirect(`${PLACE}/asked`, 303);
  });
  app.get('/asked', (c) => c.html(show.askedPage(canMail)));

  const cookieBeside = (c: DeskContext) => {
    const beside = readCookie(c, BESIDE);
    return beside && sign('device', `${c.req.param('token')} ${beside}`);
  };
  /** She pressed the button twice, maybe in two tabs, or its answer was lost. Nobody else gets in without a link. */
  async function letInAgain(c: DeskContext): Promise<Response> {
    if (c.var.device?.isIn) return c.redirect(PLACE, 303);
    const cookie = cookieBeside(c);
    if (!cookie || !(await devices.find(cookie, Date.now()))?.isIn) return c.html(show.deadPage(), 410);
    keepCookie(c, COOKIE, cookie, LONGEST_MS / 1000);
    return c.redirect(pathBelowDesk(readCookie(c, NEXT)), 303);
  }

  app.on(['GET', 'POST'], '/in/:token', async (c) => {
    const now = Date.now();
    const { device: known } = c.var;
    const link = await links.find(c.req.param('token'), contactEmail, now);
    if (!link) return letInAgain(c);
    // If she mistyped it, whoever has that mailbox isn't signed in, and gets nowhere.
    if (link.newAddress && !known?.isIn)
      return c.html(show.askPage(c.req.path, 'First sign in with a link to your previous address.'));
    if (isRead(c)) {
      keepCookie(c, BESIDE, randomBytes(16).toString('base64url'), LINK_MS / 1000);
      return c.html(show.openPage(c.req.path, link.newAddress));
    }
    if (!(await links.use(link.id, now))) return letInAgain(c);
    const name = deviceName(c.req.header('user-agent'));
    const { cookie, id } = await devices.letIn(known, name, now, cookieBeside(c));
    keepCookie(c, COOKIE, cookie, LONGEST_MS / 1000);
    if (link.newAddress) {
      const { text } = readEnvFile(PROJECT_ROOT);
      await writeEnv(PROJECT_ROOT, withValue(text, SETTINGS.contactEmail.name, link.newAddress));
      await devices.signOutOthers(id, now);
      await links.forgetAll();
      // So that nobody takes a desk over unseen
      if (canMail)
        await mailer(movedMail(link.newAddress, settings), AbortSignal.timeout(TELL_MS)).catch((error) =>
          log.error({ err: error }, 'the former address was not told of the new one'),
        );
      say(c, 'Your new address takes effect within seconds. All other devices are signed out.');
      return c.redirect(`${PLACE}/settings`, 303);
    }
    if (!known?.isIn)
      void mail(newDeviceMail(name, `${deskAddress(settings, c.var.origin)}/devices`, settings));
    return c.redirect(pathBelowDesk(readCookie(c, NEXT)), 303);
  });

  app.use(async (c, next) => {
    if (c.var.device?.isIn) {
      const socket: Unhurried | undefined = c.env?.incoming?.socket;
      // A test mail, a backup or a restore can take minutes to say anything, and so can an upload.
      if (socket) Object.assign(socket, { isUnhurried: true }).setTimeout(HOUR);
      return next();
    }
    if (!isRead(c)) return c.html(show.tooLatePage(), 403);
    const { pathname, search } = new URL(c.req.url);
    if (pathname === PLACE)
      return c.html(show.askPage(pathBelowDesk(c.req.query('next')), canMail ? undefined : show.CANT_MAIL));
    return c.redirect(`${PLACE}?next=${encodeURIComponent(pathname + search)}`, 303);
  });

  const limit = bodyLimit({ maxSize: MOST_BYTES });
  app.use((c, next) => {
    const { method, headers, body } = c.req.raw;
    // `bodyLimit` recreates such a request, here and for photos, and can do that only with Node's own kind.
    const init = { method, headers, body, duplex: 'half' };
    if (headers.has('transfer-encoding')) c.req.raw = new Request(c.req.url, init);
    return isForm(c) ? limit(c, next) : next();
  });
  app.use(async (c, next) => {
    if (isRead(c)) return next();
    // Anything but a form may be large. Its token is elsewhere, so that none of it is read first.
    const beside = c.req.header('x-desk-token') ?? c.req.query(TOKEN);
    const sent = isForm(c) ? (await c.req.parseBody())[TOKEN] : beside;
    return sameText(String(sent), c.var.frame.token) ? next() : c.html(show.foreignPage(), 403);
  });

  app.get('/devices', async (c) => {
    const { device, frame } = c.var;
    return c.html(show.devicesPage(frame, await devices.list(frame.now), device?.id));
  });
  app.post('/devices/sign-out', async (c) => {
    await devices.signOutOthers('', c.var.frame.now);
    await links.forgetAll();
    return c.html(show.signedOutPage('So is every other device. To come back, you need a new link.'));
  });
  app.post('/devices/:id/sign-out', async (c) => {
    const id = c.req.param('id');
    await devices.signOut(id, c.var.frame.now);
    if (id === c.var.device?.id) return c.html(show.signedOutPage('Only on this device.'));
    return c.redirect(`${PLACE}/devices`, 303);
  });
}

/** Asks for a fresh link first. @param next where she is once she has opened it; its own path if undefined */
export const onlyFresh =
  (next?: string): MiddlewareHandler<DeskEnv> =>
  async (c, pass) =>
    c.var.device?.isFresh ? pass() : c.html(show.freshPage(c.var.frame, next ?? c.req.path), 403);

/** Only https has the prefix: over http, Safari drops secure cookies even on a loopback address. */
const isSecure = ({ var: { origin } }: DeskContext) => origin.startsWith('https:');
/** Browsers send a cookie to all ports of a machine, which may have several sites. */
const fullName = (c: DeskContext, name: string) =>
  isSecure(c) ? `__Secure-${name}` : `${name}-${new URL(c.var.origin).port}`;
const readCookie = (c: DeskContext, name: string) => getCookie(c, fullName(c, name));

/** Shown once, on the next page: a reload or a return shows what's true by then. */
export const say = (c: DeskContext, words: string) =>
  keepCookie(c, SAID, c.var.frame.token + words, MINUTE / 1000);

/** The public page never gets it. */
function keepCookie(c: DeskContext, name: string, value: string, maxAge: number): void {
  const how = { path: PLACE, httpOnly: true, sameSite: 'Lax', secure: isSecure(c), maxAge } as const;
  setCookie(c, fullName(c, name), value, how);
}
