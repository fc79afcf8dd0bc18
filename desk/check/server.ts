import { about, type Check, type CheckContext, type Finding } from './check.ts';
import { ask, BAD_PORT, parseJson } from './web.ts';

const subject = about('messages', 'server', 'Server');

/** Whether a server with these settings runs on this machine and takes messages. */
export const server: Check = {
  about: subject,
  needs: ['HOST', 'PORT'],
  run: async (context, signal) => [await inspect(context, signal)],
};

async function inspect(
  { ownUrl, settings: { supabaseUrl } }: CheckContext,
  signal: AbortSignal,
): Promise<Finding> {
  const choose = 'Choose another PORT in .env, such as 8080, and start the server.';
  if (new URL(ownUrl).port === '0')
    return subject.look('PORT is 0, which means any free port, so the server can’t be found.', choose);
  const health = await ask(`${ownUrl}/healthz`, signal);
  if ('failed' in health) {
    if (supabaseUrl) {
      const { host } = new URL(supabaseUrl);
      return subject.ok(`None runs here, and none is needed: the form sends to ${host}.`);
    }
    if (health.failed === BAD_PORT) {
      const found = `Browsers don’t open ${ownUrl}, since that port belongs to another protocol.`;
      return subject.wrong(found, choose);
    }
    return health.failed === 'ECONNREFUSED'
      ? subject.wrong(`It isn’t running: nothing answers at ${ownUrl}.`, 'Start it: npm start')
      : subject.wrong(`It does not answer at ${ownUrl} (${health.failed}).`, 'Start it: npm start');
  }
  if (health.status !== 200 || parseJson(health.text).ok !== true)
    return subject.wrong(`Another program answers at ${ownUrl}.`, `End that program, or: ${choose}`);
  const ready = await ask(`${ownUrl}/readyz`, signal);
  return 'text' in ready && ready.status === 200
    ? subject.ok(`It runs and takes messages at ${ownUrl}.`)
    : subject.wrong(
        'It runs, but takes no messages: its database can’t be written, or it’s about to stop.',
        'Read its log and the lines about database and disk here; then start it again.',
      );
}
