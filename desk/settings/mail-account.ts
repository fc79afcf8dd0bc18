import { Resolver } from 'node:dns/promises';
import SERVICES from 'nodemailer/lib/well-known/services.json' with { type: 'json' };
import { domainOf, HOST_NAME } from '../../settings/checks.ts';
import { ENCRYPTED_PORTS, parseSmtpUrl } from '../../settings/server-url.ts';

/* One entry for SMTP_URL: a provider, an address and a password, with no characters to escape. */

type Service = { description: string; host?: string; port?: number | string; authMethod?: string };

/** `service` is one of the list, `OTHER`, or empty for none. */
type Account = { service: string; host: string; port: string; user: string };

export const OTHER = 'other';

/** The most used come first, the last of these before all others. */
const USUAL = ['Zoho', 'FastMail', 'Yahoo', 'iCloud', 'Outlook365', 'Gmail'];

const services = Object.entries<Service>(SERVICES)
  // Services that catch all mail for developers to look at would lose hers.
  .filter(([, { description, host }]) => host && !/\btesting\b/.test(description))
  // Some have two names there.
  .filter(([, one], at, all) => all.findIndex(([, { host }]) => host === one.host) === at)
  .sort(([, a], [, b]) => a.description.localeCompare(b.description, 'en'))
  .sort(([a], [b]) => USUAL.indexOf(b) - USUAL.indexOf(a));

/** For a menu: the value and the label. */
export const PROVIDERS = services.map(([key, { description }]) => [key, description]);

/** How the names of their incoming mail servers end, if that isn't their domain. */
const INCOMING: Record<string, string> = {
  'google.com': 'Gmail',
  'googlemail.com': 'Gmail',
  'olc.protection.outlook.com': 'Hotmail',
  'mail.protection.outlook.com': 'Outlook365',
  'icloud.com': 'iCloud',
  'yahoodns.net': 'Yahoo',
  'messagingengine.com': 'FastMail',
  'zoho.com': 'Zoho',
  'zoho.eu': 'Zoho',
  'secureserver.net': 'Godaddy',
};

/** The provider that takes the mails for an address, as in `PROVIDERS`, if it's a common one. */
export async function suggestedFor(address: string, resolver = new Resolver({ timeout: 1_000, tries: 1 })) {
  const records = await resolver.resolveMx(domainOf(address)).catch(() => []);
  const hosts = records.map(({ exchange }) => `.${exchange.toLowerCase()}`);
  const [, key] =
    Object.entries(INCOMING).find(([end]) => hosts.some((host) => host.endsWith(`.${end}`))) ?? [];
  return PROVIDERS.find(([name]) => name === key);
}

/** `Gmail, as ana@gmail.com` */
export function accountName(smtpUrl: string | undefined): string | undefined {
  const { service, host, user } = readAccount(smtpUrl);
  const name = PROVIDERS.find(([key]) => key === service)?.[1] ?? host;
  return name && `${name}${user && `, as ${user}`}`;
}

const DEFAULT_PORT = '587';

const isPort = (text: string) => /^[1-9]\d{0,4}$/.test(text) && Number(text) < 65_536;
const portOf = ({ port = DEFAULT_PORT }: Service) => String(port);

/** Empty if there's none, or it's wrong. */
function parts(smtpUrl = '') {
  try {
    const { host, port, login } = parseSmtpUrl(smtpUrl.trim());
    return { host, port: String(port), user: '', password: '', ...login };
  } catch {
    return { host: '', port: '', user: '', password: '' };
  }
}

/** What SMTP_URL says; of its password, only whether there is one. */
export function readAccount(smtpUrl: string | undefined): Account & { stored: boolean } {
  const { password, ...account } = parts(smtpUrl);
  const { host, port } = account;
  const known = services.find(([, service]) => service.host === host && portOf(service) === port)?.[0];
  return { service: host && (known ?? OTHER), ...account, stored: password !== '' };
}

/** SMTP_URL from what's typed, and a sentence for each wrong field. The stored password goes to no other server or user. */
export function composeSmtp(typed: Account & { password: string }, stored = '') {
  if (!typed.service) return { url: '', faults: {} };
  const known = services.find(([key]) => key === typed.service)?.[1];
  const host = known?.host ?? typed.host;
  const port = known ? portOf(known) : typed.port || DEFAULT_PORT;
  const { user } = typed;
  const old = parts(stored);
  const password = typed.password || (old.host === host && old.user === user ? old.password : '');
  const again = 'Type the password again: the stored one is for another server or address.';
  const faults = {
    ...((!HOST_NAME.test(host) || /^[^:]+:\d*$/.test(host)) && { host: `${AS_GIVEN} smtp.example.com.` }),
    ...(!isPort(port) && { port: `${AS_GIVEN} 465.` }),
    ...((known || password) && !user && { user: 'Type the address that you log in with.' }),
    ...(user && !password && { password: old.password ? again : 'Type the password.' }),
  };
  const scheme = ENCRYPTED_PORTS.includes(port) ? 'smtps' : 'smtp';
  const search = known?.authMethod ? `?authMethod=${known.authMethod}` : '';
  // Anything else that was written there stays.
  const isSamePlace = old.host === host && old.port === port;
  const place = isSamePlace ? stored.trim().replace(/\/\/.*@/, '//') : `${scheme}://${host}:${port}${search}`;
  const login = `${encodeURIComponent(user)}${password && `:${encodeURIComponent(password)}`}`;
  return { url: place.replace('//', `//${login}${login && '@'}`), faults };
}

const AS_GIVEN = 'Type what your mail provider gives, such as';
