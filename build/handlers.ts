import { isThisMachine } from '../settings/near.ts';
import type { Settings } from '../settings/settings.ts';

/** Which other machines handle a visitor's message, by the settings: for the privacy policy. */
export function handlersOf({
  mail,
  database,
  supabaseUrl,
}: Pick<Settings, 'mail' | 'database' | 'supabaseUrl'>) {
  return {
    mailHost: mail.via === 'smtp' ? elsewhere(mail.host) : undefined,
    storeHost: elsewhere(
      URL.parse(supabaseUrl ?? (database.engine === 'postgres' ? database.url : ''))?.hostname,
    ),
  };
}

function elsewhere(host: string | undefined): string | undefined {
  return host && !isThisMachine(host) ? host : undefined;
}
