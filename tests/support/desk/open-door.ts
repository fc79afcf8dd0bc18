import { join } from 'node:path';
import { createDeskApp } from '../../../desk/app.ts';
import { ensureProgram } from '../../../publish/publish.ts';
import { openMailer } from '../../../server/mail/transport.ts';
import { startSmtpServer } from '../mail/smtp-server.ts';
import { untilEnd } from '../network/until-end.ts';
import { openTestService } from '../service.ts';

export const SITE = 'https://www.blueprint.ca';
export const OWNER = 'ana@blueprint.ca';
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 15_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.6 Mobile/15E148 Safari/604.1';
export const LAPTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:115.0) Gecko/20100101 Firefox/115.0';

type Answer = { status: number; location: string | null; headers: Headers; body: string };
type Asked = {
  form?: Record<string, string>;
  headers?: Record<string, string>;
  body?: BodyInit;
  env?: object;
};

/** The desk as the site's server runs it, with a real database and a real mail server, at `START`. */
export async function openDoor(env: Record<string, string> = {}) {
  await ensureProgram();
  const smtp = await untilEnd(startSmtpServer());
  const { settings, database, folder, log, lines } = await openTestService({
    CONTACT_EMAIL: OWNER,
    SITE_URL: SITE,
    SMTP_URL: smtp.url,
    ...env,
  });
  const given = { settings, database, mailer: openMailer(settings), log, reload: () => settings };
  const takeOverPage = () => void lines.push('the page is taken over');
  const app = createDeskApp({ ...given, takeOverPage }, join(folder, 'dist'));

  const links = () =>
    smtp.received.flatMap(({ parsed }) => /https:\S+\/desk\/in\/\S+/.exec(parsed.text ?? '') ?? []);

  /** A browser that keeps cookies; its forms come from the page itself. */
  function browser(userAgent = PHONE) {
    const cookies = new Map<string, string>();
    async function ask(path: string, { form, headers = {}, body, env }: Asked = {}): Promise<Answer> {
      const url = new URL(path, SITE);
      const isPost = form !== undefined || body !== undefined;
      const request = {
        method: isPost ? 'POST' : 'GET',
        headers: {
          host: url.host,
          'user-agent': userAgent,
          cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
          ...(isPost && { origin: url.origin, 'sec-fetch-site': 'same-origin' }),
          ...headers,
        },
        ...(isPost && { body: body ?? new URLSearchParams(form), duplex: 'half' }),
      };
      const answer = await app.request(url.href, request, env);
      for (const cookie of answer.headers.getSetCookie()) {
        const [pair = ''] = cookie.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const location = answer.headers.get('location');
      return { status: answer.status, location, headers: answer.headers, body: await answer.text() };
    }
    const token = async () =>
      /name="token" value="([^"]+)"/.exec((await ask('/desk/devices')).body)?.[1] ?? '';
    const askForLink = () => ask('/desk/link', { form: {} });
    async function getLink(asking: () => Promise<unknown> = askForLink): Promise<string> {
      const before = links().length;
      await asking();
      for (let mails = smtp.received.length; links().length === before; mails += 1)
        await smtp.receives(mails);
      return links().at(-1) ?? '';
    }
    const open = (link: string) => ask(new URL(link).pathname, { form: {} });
    return {
      cookies,
      ask,
      status: async (path: string, asked?: Asked) => (await ask(path, asked)).status,
      token,
      askForLink,
      getLink,
      open,
      signIn: async () => open(await getLink()),
      send: async (path: string, form: Record<string, string> = {}) =>
        ask(path, { form: { ...form, token: await token() } }),
    };
  }

  return {
    app,
    database,
    settings,
    smtp,
    lines,
    links,
    stored: (table: 'desk_link' | 'desk_device') =>
      database.db.withTables<Record<typeof table, object>>().selectFrom(table).selectAll().execute(),
    browser,
    /** A signed-in browser, after one mail with its link and one about the device. */
    async signedIn(userAgent = PHONE) {
      const before = smtp.received.length;
      const her = browser(userAgent);
      await her.signIn();
      await smtp.receives(before + 2);
      return her;
    },
  };
}
