import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { shortPath } from '../desk.ts';
import { about, type Check } from './check.ts';
import { nearest } from './disk.ts';

const subject = about('messages', 'mail-server', 'Mails');

/** Without a mail server: whether the files can be written that stand for the mails. */
export const mailFolder: Check = {
  name: 'mail-folder',
  about: subject,
  needs: ['SMTP_URL', 'RESEND_API_KEY', 'MAIL_DIR'],
  when: ({ mail }) => mail.via === 'folder',
  run: async ({ settings: { supabaseUrl, mailDir } }) => {
    if (supabaseUrl) {
      return [
        subject.look(
          `${new URL(supabaseUrl).host} sends them, with mail settings that are not in this .env.`,
          'Copy SMTP_URL or RESEND_API_KEY from the secrets of the project, or try with --send-test.',
        ),
      ];
    }
    const place = shortPath(mailDir);
    const isWritable = await access(await nearest(mailDir), constants.W_OK).then(
      () => true,
      () => false,
    );
    return [
      isWritable
        ? subject.look(
            `They become files in ${place}, and none is sent to you.`,
            'Name your mail server as SMTP_URL in .env, or a key as RESEND_API_KEY, and start the server again.',
          )
        : subject.wrong(
            `They become files in ${place}, but no file can be written there.`,
            'Check MAIL_DIR and the rights of that folder.',
          ),
    ];
  },
};
