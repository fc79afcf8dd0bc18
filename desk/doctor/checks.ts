import { address } from './address.ts';
import { alarm } from './alarm.ts';
import { backup } from './backup.ts';
import type { Check } from './check.ts';
import { database } from './database.ts';
import { disk } from './disk.ts';
import { dns } from './dns.ts';
import { fileRights } from './file-rights.ts';
import { form } from './form.ts';
import { inbox } from './inbox.ts';
import { mailFolder } from './mail-folder.ts';
import { messages } from './messages.ts';
import { page } from './page.ts';
import { placeholders } from './placeholders.ts';
import { resend } from './resend.ts';
import { server } from './server.ts';
import { settings } from './settings.ts';
import { smtp } from './smtp.ts';

/**
 * By the name of its file, which is also what the owner types, and in the order of the report. Those that ask other
 * machines, and may be slow, come last.
 */
export const CHECKS: Record<string, Check> = {
  settings,
  database,
  messages,
  alarm,
  backup,
  disk,
  'file-rights': fileRights,
  server,
  page,
  placeholders,
  'mail-folder': mailFolder,
  form,
  smtp,
  resend,
  dns,
  inbox,
  address,
};
