import { isThisMachine } from '../settings/near.ts';
import type { Settings } from '../settings/settings.ts';

/** Which other machines handle a visitor's message, by the settings: for the privacy policy. */
export function handlersOf({
  mail,
  database,
  supabaseUrl,
}: Pick<Settings, 'mail' | 'database' | 'supabaseUrl'>) {
  return {
    mailHost: mail.via === 'smtp' ? elsewhere(mail.url) : undefined,
    storeHost: elsewhere(supabaseUrl ?? (database.engine === 'postgres' ? database.url : '')),
  };
}

function elsewhere(url: string): string | undefined {
  const host = URL.parse(url)?.hostname;
  return host && !isThisMachine(host) ? host : undefined;
}
