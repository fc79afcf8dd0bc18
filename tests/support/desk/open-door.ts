import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createDeskApp } from '../../../desk/app.ts';
import { ensureProgram } from '../../../publish/publish.ts';
import { createLog } from '../../../server/log.ts';
import { openMailer } from '../../../server/mail/transport.ts';
import { openDatabase } from '../../../server/messages/open.ts';
import { readSettings } from '../../../settings/settings.ts';
import { startSmtpServer } from '../mail/smtp-server.ts';
import { START, setTime, temporaryFolder } from '../service/open-test-service.ts';

/** Where the desk is that `openDoor` opens. */
export const SITE = 'https://www.blueprint.ca';
export const OWNER = 'ana@blueprint.ca';
export const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 15_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.6 Mobile/15E148 Safari/604.1';

export const LAPTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:115.0) Gecko/20100101 Firefox/115.0';

export type Answer = { status: number; location: string | null; headers: Headers; body: string };
type Asked = { form?: Record<string, string>; headers?: Record<string, string>; body?: BodyInit };

/** The desk as the site's server has it, with a real database and a real mail server, at `START`. */
export async function openDoor(env: Record<string, string> = {}) {
  await ensureProgram();
  const smtp = await startSmtpServer();
  onTestFinished(() => smtp.close());
  setTime(START);
  const folder = temporaryFolder();
  const settings = readSettings({
    DATABASE_URL: `file:${join(folder, 'contact.db')}`,
    MAIL_DIR: join(folder, 'mail'),
    CONTACT_EMAIL: OWNER,
    SITE_URL: SITE,
    SMTP_URL: smtp.url,
    ...env,
  });
  const lines: string[] = [];
  const log = createLog('trace', { write: (line) => void lines.push(line) });
  const database = await openDatabase(settings.database);
  const mailer = openMailer(settings);
  onTestFinished(() => database.close());
  const given = { settings: () => settings, reload: () => settings, database: async () => database };
  const app = createDeskApp(given, { settings, database, mailer, log }, join(folder, 'dist'));

  /** A browser with a memory for cookies; its forms come from the page itself. */
  function browser(userAgent = PHONE) {
    const cookies = new Map<string, string>();
    async function ask(path: string, { form, headers = {}, body }: Asked = {}): Promise<Answer> {
      const url = new URL(path, SITE);
      const isPost = form !== undefined || body !== undefined;
      const answer = await app.request(url.href, {
        method: isPost ? 'POST' : 'GET',
        headers: {
          host: url.host,
          'user-agent': userAgent,
          cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
          ...(isPost && { origin: url.origin, 'sec-fetch-site': 'same-origin' }),
          ...headers,
        },
        ...(isPost && { body: body ?? new URLSearchParams(form), duplex: 'half' }),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [pair = ''] = cookie.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const location = answer.headers.get('location');
      return { status: answer.status, location, headers: answer.headers, body: await answer.text() };
    }
    /** The one that its forms carry. */
    const token = async () =>
      /name="token" value="([^"]+)"/.exec((await ask('/desk/devices')).body)?.[1] ?? '';
    return {
      cookies,
      ask,
      token,
      askForLink: () => ask('/desk/link', { form: {} }),
      /** Presses the button behind a link. */
      open: (link: string) => ask(new URL(link).pathname, { form: {} }),
      /** Sends a form of the desk. */
      send: async (path: string, form: Record<string, string> = {}) =>
        ask(path, { form: { ...form, token: await token() } }),
    };
  }

  /** The last link, once so many mails have come. Two that are sent at once may change places. */
  async function linkIn(count: number): Promise<string> {
    const mails = await smtp.receives(count);
    const links = mails.flatMap(({ parsed }) => /https:\S+\/desk\/in\/\S+/.exec(parsed.text ?? '') ?? []);
    return links.at(-1) ?? '';
  }

  return {
    app,
    database,
    settings,
    smtp,
    lines,
    folder,
    browser,
    linkIn,
    /** A browser that's signed in, by one mail for its link and one about the device. */
    async signedIn() {
      const before = smtp.received.length;
      const her = browser();
      await her.askForLink();
      await her.open(await linkIn(before + 1));
      await smtp.receives(before + 2);
      return her;
    },
  };
}
