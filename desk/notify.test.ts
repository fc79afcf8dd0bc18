import { expect, test } from 'vitest';
import { createStore } from '../messages/store.ts';
import { openTestDesk } from '../tests/desk-process.ts';
import { MESSAGE, START } from '../tests/open-test-service.ts';
import { linesOf } from '../tests/run-check.ts';
import { startWebhookServer } from '../tests/webhook-server.ts';
import { notify } from './doctor/notify.ts';

test('the desk sends a test, says what was set aside, and sends that again; the doctor says it too', async () => {
  const { run, database, url } = await openTestDesk('sqlite');
  const { posted, answer, host } = await startWebhookServer();
  const env = { DATABASE_URL: url, NOTIFY_WEBHOOK_URL: `ntfy://${host}/my-secret-topic?secure=false` };
  const { notices, add } = createStore(database, {
    mailDomain: 'example.com',
    leaseClock: 'caller',
    withNotices: true,
  });
  expect(await linesOf(notify, env)).toEqual([`notify ok: New messages also go to ${host}.`]);
  await add(MESSAGE, { now: START });
  const claimed = await notices.claim(START, 1000);
  if (!claimed) throw new Error('nothing was claimed');
  await notices.setAside(claimed, 'refused http-404');
  const told = `New messages also go to ${host}. 1 message is set aside: ${host} refuses it (code 404).`;
  expect(await linesOf(notify, env)).toEqual([`notify look: ${told}`]);
  expect(await run(['notify'], { env })).toEqual({ code: 0, out: `${told}\n`, err: '' });
  const again = await run(['notify', '--again', '--json'], { env });
  expect(JSON.parse(again.out)).toEqual({ requeued: 1 });
  expect(await linesOf(notify, env)).toEqual([
    `notify ok: New messages also go to ${host}. 1 message is waiting to go there.`,
  ]);

  const sent = await run(['notify', '--test'], { env });
  expect(sent).toEqual({ code: 0, out: `${host} has taken the test.\n`, err: '' });
  expect(JSON.parse(posted[0]?.body ?? '')).toMatchObject({
    topic: 'my-secret-topic',
    title: 'A test of your second way',
  });
  answer.status = 403;
  const refused = await run(['notify', '--test'], { env });
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain(`The test wasn’t taken: ${host} refuses our login or sender (code 403).`);
  expect(`${told}${sent.out}${refused.err}`).not.toContain('secret-topic');
});
