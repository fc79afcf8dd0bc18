import * as is from './checks.ts';
import { SETTINGS } from './schema.ts';

type Env = Record<string, string | undefined>;
type Refuse = (fault: { setting: string; problem: string; example: string }) => void;

/** With an example, which a port also is if there's none. */
const PARTS = {
  SMTP_ADDRESS: [is.mailHost, 'smtp.example.com'],
  SMTP_PORT: [is.wholeNumber(1, 65_535), '587'],
  MAILER_FROM_ADDRESS: [is.mailBox, SETTINGS.mailFrom.example],
} as const;

/** What ONCE, and others that run containers, call the mail settings. They count where ours are unset. */
export function withContainerMail(env: Env, refuse: Refuse = () => {}): Env {
  const all = { ...env };
  const counts = (name: string, ours: string) => env[name]?.trim() && !env[ours]?.trim();
  const take = (setting: keyof typeof PARTS): string => {
    const [{ read, wanted }, example] = PARTS[setting];
    const text = env[setting]?.trim() || example;
    try {
      read(text, '');
    } catch {
      // Not what it is: somebody may have typed a whole address with a password there.
      refuse({ setting, problem: `is wrong; ${wanted}`, example });
      return example;
    }
    return text;
  };
  const { mailFrom, smtpUrl } = SETTINGS;
  if (counts('MAILER_FROM_ADDRESS', mailFrom.name)) all[mailFrom.name] = take('MAILER_FROM_ADDRESS');
  if (counts('SMTP_ADDRESS', smtpUrl.name)) {
    const [host, port] = [take('SMTP_ADDRESS'), take('SMTP_PORT')];
    const [user, password] = [env.SMTP_USERNAME, env.SMTP_PASSWORD].map((text = '') =>
      encodeURIComponent(text),
    );
    all[smtpUrl.name] =
      `${port === '465' ? 'smtps' : 'smtp'}://${user && `${user}:${password}@`}${host}:${port}`;
  }
  return all;
}
