import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { START, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { machineClock } from '../clock.ts';
import { eraseMessages } from './erase.ts';
import { knownFrom, rememberSpam } from './known-spam.ts';
import { openDatabase } from './open.ts';
import { markSpam, notSpam, setAnswered } from './states.ts';
import { createStore } from './store.ts';

const TEXT = 'We have magnets for wholesale buyers in every size and shape you want.';
const PILLS = { email: 'bo@pills.example', message: `${TEXT} https://www.pills.example/offer` };
const from = (email: string, message = '') => ({ email, message });

test('the same text, sender or link is known, and nothing else', () => {
  const known = knownFrom({ spam: [PILLS], leads: [] }, []);
  expect(known(from('x@y.example', TEXT.toUpperCase()))).toEqual(['text']);
  expect(known(from('BO@pills.example'))).toEqual(['sender']);
  expect(known(from('x@y.example', 'https://pills.example and http://buy.pills.example/2'))).toEqual([
    'link:pills.example',
  ]);
  expect(known(from('ana@pills.example', 'www.morepills.example, magnets, pills.example'))).toEqual([]);
});

test('what many share says nothing, nor what is the owner’s or came from somebody she answered', () => {
  const spam = [
    PILLS,
    from('bo@gmail.com', 'https://docs.google.com/form https://www.youtube.com/watch'),
    from('marie@ops.example', `${TEXT} A test. https://test.example`),
    from('eve@x.example', 'https://www.ops.example/#contact https://shop.platform.example'),
  ];
  const leads = [
    from('bo@pills.example', 'https://buy.pills.example'),
    from('a@b.example', 'www.platform.example'),
  ];
  const known = knownFrom({ spam, leads }, ['marie@ops.example', 'hello@mail.example']);
  for (const message of [
    from('bo@pills.example'),
    from('x@y.example', 'https://pills.example'),
    from('x@gmail.com', 'https://docs.google.com/form https://youtu.be/x'),
    from('marie@ops.example', `${TEXT} A test. https://test.example https://book.ops.example`),
    from('x@y.example', 'https://platform.example'),
  ])
    expect(known(message)).toEqual([]);
  expect(known(from('x@y.example', 'https://shop.platform.example'))).toEqual(['link:shop.platform.example']);
});

test.each(['sqlite', 'postgres'] as const)(
  'on %s, two servers know at once what the owner calls spam and takes back, and soon what she answers or erases',
  async (engine) => {
    const folder = temporaryFolder();
    let ticks = 0;
    const database = await openDatabase(
      engine === 'sqlite'
        ? { engine, file: join(folder, 'contact.db') }
        : { engine, url: await newPostgresDatabase() },
    );
    onTestFinished(() => database.close());
    const store = createStore(database, { mailDomain: 'example.com' });
    const clock = { ...machineClock, ticks: () => ticks };
    const servers = [rememberSpam({ ...database, clock }, []), rememberSpam({ ...database, clock }, [])];
    const known = async (message = from('x@y.example', 'https://pills.example')) => {
      const [one, two] = await Promise.all(servers.map((signs) => signs(message)));
      expect(one).toEqual(two);
      return one;
    };
    const add = async (message: typeof PILLS, heldFor: 'trap'[] = []) =>
      (await store.add({ name: 'Bo', ...message }, { now: START, heldFor })).id;

    const id = await add(PILLS);
    await add(PILLS, ['trap']);
    expect(await known()).toEqual([]);
    await markSpam(database, id, START);
    expect(await known()).toEqual(['link:pills.example']);
    const held = await add(from('eve@y.example', 'https://pills.example'), ['trap']);
    await notSpam(database, held, START + 1);
    expect(await known()).toEqual([]);
    expect(await known(from('bo@pills.example'))).toEqual(['sender']);
    await markSpam(database, held, START + 2);
    expect(await known()).toEqual(['link:pills.example']);

    await setAnswered(database, await add(from('bo@pills.example', 'Hello')), START);
    ticks += 60_000;
    expect(await known(from('bo@pills.example'))).toEqual([]);
    await eraseMessages(database, { id }, { mailDir: folder, now: START });
    await eraseMessages(database, { id: held }, { mailDir: folder, now: START });
    ticks += 60_000;
    expect(await known()).toEqual([]);
  },
);
