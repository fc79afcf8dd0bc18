import { isLocalNetwork } from '../settings/local-network.ts';
import type { Settings } from '../settings/settings.ts';

// What a Supabase project does in this server's place.

/** Whether the database is a Supabase project's, whose function stores and mails, too. */
export const isOfProject = ({ supabaseUrl, database }: Settings): boolean =>
  supabaseUrl !== undefined && database.engine === 'postgres' && !isLocalNetwork(database.address.host);

/** Whether this is only the desk of a project that mails what's in its database: here, mails would end up as files. */
export const isMailedElsewhere = (settings: Settings): boolean =>
  isOfProject(settings) && settings.mail.via === 'folder';

/** What to say if the form's messages go elsewhere, so that the file here may never have one. */
export const storedElsewhere = ({ supabaseUrl, database }: Settings): string | undefined =>
  supabaseUrl && database.engine === 'sqlite'
    ? `Your form sends its messages to ${new URL(supabaseUrl).host}. To see those of a Supabase project here, give its connection string as DATABASE_URL in .env.`
    : undefined;
