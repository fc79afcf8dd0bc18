import type { Command } from 'commander';
import { daysBefore, readDigest } from '../mail/digest.ts';
import { composeDigest } from '../mail/digest-mail.ts';
import { classifyMailError, describeFault } from '../mail/faults.ts';
import { openMailer } from '../mail/mailer.ts';
import { shortPath } from '../settings/settings.ts';
import type { Desk } from './desk.ts';
import { Failed } from './failures.ts';
import { json, write } from './terminal.ts';

type Options = { week?: true; print?: true; json?: true };

const SEND_MS = 60_000;

export function addDigest(program: Command, desk: Desk): void {
  program
    .command('digest')
    .description('mail yourself yesterday’s figures, which also shows that mail works')
    .option('--week', 'of the last seven days')
    .option('--print', 'show them here, and mail nothing')
    .addHelpText(
      'after',
      '\nThe server does this by itself once DIGEST is set, for instance DIGEST=daily 07:00.',
    )
    .action(async ({ week, print, json: asJson }: Options) => {
      const settings = desk.settings();
      const now = Date.now();
      const digest = await readDigest(
        await desk.database(),
        daysBefore(now, week ? 7 : 1, settings.timeZone),
        now,
      );
      if (asJson) {
        const {
          first,
          last,
          counted = null,
          oldestUndeliveredAt,
          oldestAnswerDueAt,
          longestWaits,
          ...figures
        } = digest;
        const iso = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString());
        return write(
          json({
            first: first.name,
            last: last.name,
            ...figures,
            counted,
            oldestUndeliveredAt: iso(oldestUndeliveredAt),
            oldestAnswerDueAt: iso(oldestAnswerDueAt),
          }),
        );
      }
      const mailer = openMailer(settings.mail);
      try {
        const mail = composeDigest(digest, { settings, now, destination: mailer.destination });
        if (print) return write(mail.text);
        await mailer.send(mail, AbortSignal.timeout(SEND_MS)).catch((error: unknown) => {
          throw new Failed(
            `The digest was not mailed: ${describeFault(classifyMailError(error).label)}. \`npm run desk doctor\` tries to find out why.`,
          );
        });
        write(
          settings.mail.via === 'folder'
            ? `The digest is a file in ${shortPath(mailer.destination)}, since SMTP_URL isn’t set.\n`
            : `The digest is on its way to ${settings.contactEmail}, through ${mailer.destination}.\n`,
        );
      } finally {
        mailer.close();
      }
    });
}
