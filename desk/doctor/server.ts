import { about, type Check, type Finding } from './check.ts';
import { ask, BAD_PORT, parseJson } from './web.ts';

const subject = about('messages', 'server', 'Server');

/** Whether the server of these settings runs on this machine, and takes messages. */
export const server: Check = {
  name: 'server',
  about: subject,
  needs: ['HOST', 'PORT'],
  run: async ({ ownUrl, settings }, signal) => [await look(ownUrl, settings.supabaseUrl, signal)],
};

async function look(ownUrl: string, supabaseUrl: string | undefined, signal: AbortSignal): Promise<Finding> {
  if (new URL(ownUrl).port === '0') {
    const found = 'PORT is 0, which takes any free port, so the server cannot be found.';
    return subject.look(found, 'Choose a PORT in .env, such as 8080.');
  }
  const health = await ask(`${ownUrl}/healthz`, signal);
  if ('failed' in health) {
    if (supabaseUrl)
      return subject.ok(
        `None runs here, and none is needed: the form sends to ${new URL(supabaseUrl).host}.`,
      );
    if (health.failed === BAD_PORT) {
      const found = `Browsers open no page at ${ownUrl}, whose port belongs to another protocol.`;
      return subject.wrong(found, 'Choose another PORT in .env, such as 8080, and start the server.');
    }
    const found =
      health.failed === 'ECONNREFUSED'
        ? `It is not running: nobody answers at ${ownUrl}.`
        : `It does not answer at ${ownUrl} (${health.failed}).`;
    return subject.wrong(found, 'Start it: npm start');
  }
  if (health.status !== 200 || parseJson(health.text).ok !== true) {
    return subject.wrong(
      `Another program answers at ${ownUrl}.`,
      'End that program, or choose another PORT in .env and start the server.',
    );
  }
  const ready = await ask(`${ownUrl}/readyz`, signal);
  if ('failed' in ready || ready.status !== 200) {
    return subject.wrong(
      'It runs, but takes no messages: its database cannot be written, or it is just stopping.',
      'Read its log and the lines about database and disk here; then start it again.',
    );
  }
  return subject.ok(`It runs and takes messages at ${ownUrl}.`);
}
