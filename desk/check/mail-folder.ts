import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { shortPath } from '../../settings/settings.ts';
import { about, type Check } from './check.ts';
import { nearest } from './disk-space.ts';

const subject = about('messages', 'mail-server', 'Mails');

/** Without a mail server: whether mail can be written to files. */
export const mailFolder: Check = {
  about: subject,
  needs: ['SMTP_URL', 'MAIL_DIR'],
  when: ({ mail }) => mail.via === 'folder',
  run: async ({ settings: { supabaseUrl, mailDir } }) => {
    if (supabaseUrl) {
      const todo = 'Copy SMTP_URL from the project’s secrets, or try with --send-test.';
      const { host } = new URL(supabaseUrl);
      return [subject.look(`${host} sends them, with mail settings that are not in this .env.`, todo)];
    }
    const files = `They’re saved as files in ${shortPath(mailDir)}`;
    try {
      await access(await nearest(mailDir), constants.W_OK);
    } catch {
      const todo = 'Check MAIL_DIR and the rights of that folder.';
      return [subject.wrong(`${files}, but no file can be written there.`, todo)];
    }
    const todo = 'Set SMTP_URL (your mail server) in .env, and start again.';
    return [subject.look(`${files}. None is sent to you.`, todo)];
  },
};
