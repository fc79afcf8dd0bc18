import * as is from './checks.ts';
import { SETTINGS } from './schema.ts';

type Env = Record<string, string | undefined>;
type Refuse = (fault: { setting: string; problem: string; example: string }) => void;

const PARTS = {
  SMTP_ADDRESS: { ...is.mailHost, fallback: '', example: 'smtp.example.com' },
  SMTP_PORT: { ...is.wholeNumber(1, 65_535), fallback: '587', example: '587' },
  MAILER_FROM_ADDRESS: { ...is.mailBox, fallback: '', example: SETTINGS.mailFrom.example },
};

/** What ONCE, and others that run containers, call the mail settings. They count where ours are unset. */
export function withContainerMail(env: Env, refuse: Refuse = () => {}): Env {
  const { mailFrom, smtpUrl } = SETTINGS;
  const counts = (name: string, ours: string) => Boolean(env[name]?.trim() && !env[ours]?.trim());
  const all = { ...env };
  /** Empty if it's wrong. */
  const take = (setting: keyof typeof PARTS): string => {
    const { read, wanted, fallback, example } = PARTS[setting];
    const text = env[setting]?.trim() || fallback;
    try {
      read(text, '');
      return text;
    } catch {
      refuse({ setting, problem: `is ${JSON.stringify(text)}; ${wanted}`, example });
      return '';
    }
  };
  if (counts('MAILER_FROM_ADDRESS', mailFrom.name)) all[mailFrom.name] = take('MAILER_FROM_ADDRESS');
  if (counts('SMTP_ADDRESS', smtpUrl.name)) {
    const [host, port] = [take('SMTP_ADDRESS'), take('SMTP_PORT')];
    const [user, password] = [env.SMTP_USERNAME, env.SMTP_PASSWORD].map((text = '') =>
      encodeURIComponent(text),
    );
    const scheme = port === '465' ? 'smtps' : 'smtp';
    if (host && port) all[smtpUrl.name] = `${scheme}://${user ? `${user}:${password}@` : ''}${host}:${port}`;
  }
  return all;
}
