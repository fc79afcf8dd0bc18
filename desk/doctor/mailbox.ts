import { machineClock } from '../../server/clock.ts';
import { findFolders, isRefusal, openMailbox } from '../../server/mailbox/connect.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { about, type Check, type Finding } from './check.ts';
import { CERTIFICATE_FAULTS } from './web.ts';

const subject = about('messages', 'mailbox', 'Your mailbox');
const COMPARE = 'Compare IMAP_URL with what your mail provider gives, usually imaps:// without a port.';

/** Whether the site can look into the mailbox that IMAP_URL names, and finds its folders. */
export const mailbox: Check = {
  about: subject,
  needs: ['IMAP_URL'],
  when: ({ imapUrl }) => imapUrl !== undefined,
  run: async ({ settings: { imapUrl = '' } }, signal) => [await tryMailbox(imapUrl, signal)],
};

async function tryMailbox(imapUrl: string, signal: AbortSignal): Promise<Finding> {
  const { hostname } = new URL(imapUrl);
  let isFlood = false;
  const onFlood = () => {
    isFlood = true;
  };
  try {
    const client = await openMailbox(imapUrl, { listen: false, signal, clock: machineClock, onFlood });
    const { paths } = await findFolders(client);
    await client.logout();
    const missing = [
      ...(paths.junk === undefined ? ['Junk'] : []),
      ...(paths.sent === undefined ? ['Sent'] : []),
    ];
    if (missing.length === 0)
      return subject.ok(`${hostname} lets us read it, and “${paths.junk}” and “${paths.sent}” are there.`);
    return subject.look(
      `${hostname} lets us read it, but no folder is known as ${missing.join(' or ')}.`,
      'Name the folder that way, or have your mail provider mark it as such. Without it, you note yourself what is spam or answered.',
    );
  } catch (error) {
    if (isFlood)
      return subject.wrong(
        `${hostname} sends far more than it’s asked for.`,
        'Ask your mail provider, or take IMAP_URL out of .env.',
      );
    if (isRefusal(error))
      return subject.wrong(
        `${hostname} refuses the user name or password in IMAP_URL.`,
        'Type them once more under Settings at npm run desk. Many providers ask for an app password, and some to switch IMAP on first. (In IMAP_URL, write % as %25, @ as %40, : as %3A and / as %2F.)',
      );
    const cause = codeOf(error);
    const certificate = CERTIFICATE_FAULTS[cause];
    return subject.wrong(
      certificate
        ? `${hostname} ${certificate}`
        : `${hostname} can’t be read (${cause || 'the connection was closed'}).`,
      COMPARE,
    );
  }
}
