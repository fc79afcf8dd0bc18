import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { shortPath } from '../desk.ts';
import { nearest } from './files.ts';
import { about, type Finding } from './finding.ts';

export const mails = about('messages', 'mail-server', 'Mails');

/** Mails that a Supabase project's function sends, with settings that stand there alone. */
export function mailsOfProject(supabaseUrl: string): Finding {
  return mails.look(
    `${new URL(supabaseUrl).host} sends them, with mail settings that are not in this .env.`,
    'Copy SMTP_URL or RESEND_API_KEY from the secrets of the project, or try with --send-test.',
  );
}

/** Without a mail server: whether the files can be written that stand for the mails. */
export async function checkMailFolder(mailDir: string): Promise<Finding[]> {
  const place = shortPath(mailDir);
  const isWritable = await access(await nearest(mailDir), constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) {
    const todo = 'Check MAIL_DIR and the rights of that folder.';
    return [mails.wrong(`They become files in ${place}, but no file can be written there.`, todo)];
  }
  return [
    mails.look(
      `They become files in ${place}, and none is sent to you.`,
      'Name your mail server as SMTP_URL in .env, or a key as RESEND_API_KEY, and start the server again.',
    ),
  ];
}
