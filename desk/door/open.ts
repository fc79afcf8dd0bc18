import { localAddress } from '../../server/http/listen.ts';
import { readSettings } from '../../settings/settings.ts';
import { Failed, openExisting, readArgs, write } from '../command/command.ts';
import { LINK_MS, makeLink } from './links.ts';
import { publicOrigin } from './place.ts';

/** Shows a link to the desk, for whoever can run this on the machine: the way in when no mail arrives. */
export async function open(args: string[]): Promise<void> {
  const { given } = readArgs(args, ['json']);
  const settings = readSettings();
  if (!settings.desk)
    throw new Failed('DESK=off turns the desk off. Take that out of .env, and restart the site.');
  const here = localAddress(settings.host, settings.port);
  await using database = await openExisting(settings);
  const link = await makeLink(settings, database, here);
  if (given.has('json')) return write(`${JSON.stringify({ link })}\n`);
  write(
    `Open this link in your browser while the site runs. It works once, for ${LINK_MS / 60_000} minutes:\n\n  ${link}\n\n`,
  );
  const public_ = publicOrigin(settings.siteUrl);
  if (public_ && link.startsWith(public_))
    write(`If the site runs on this machine alone, use ${here} instead of ${public_}.\n`);
}
