import type { FetchMessageObject } from 'imapflow';
import { expect, test } from 'vitest';
import { openWith } from '../../tests/support/database/message-rows.ts';
import { START } from '../../tests/support/service/open-test-service.ts';
import { noteReadUpTo, readUpTo } from '../messages/mail-places.ts';
import type { Mailbox } from './connect.ts';
import { type NewMails, readNew } from './read-folder.ts';

const WHOLE = { areNew: true, isWhole: true };
const TORN = { areNew: true, isWhole: false };
const FIRST = { areNew: false, isWhole: false };
const upTo = (count: number) => Array.from({ length: count }, (_, index) => 5 + index);

test.each([
  ['nothing new', 'INBOX 1', 5, [], undefined, WHOLE],
  ['all that is new', 'INBOX 1', 8, [5, 6, 7], '5:7', WHOLE],
  ['one that is gone', 'INBOX 1', 8, [5, 7], '5:7', TORN],
  ['one that is gone, and news of another', 'INBOX 1', 8, [4, 5, 7, 9], '5:7', TORN],
  ['the newest thousand of many', 'INBOX 1', 1_105, upTo(1_100).slice(-1_000), '105:1104', TORN],
  ['a folder that was built anew', 'INBOX 2', 8, upTo(2_000), upTo(2_000).slice(-1_000), FIRST],
] as const)('of a folder read up to mail 5, %s', async (_, folder, uidNext, uids, asked, kind) => {
  const database = await openWith([]);
  await noteReadUpTo(database, 'inbox', { folder, nextUid: 5 });
  const ranges: unknown[] = [];
  const client = {
    mailboxOpen: async () => ({ uidValidity: 1n, uidNext }),
    search: async () => [...uids],
    fetchAll: async (range: unknown) => {
      ranges.push(range);
      return uids.map((uid) => ({ uid })) as FetchMessageObject[];
    },
  } as unknown as Mailbox;
  const look = { client, database, now: START, folders: { paths: { inbox: 'INBOX' }, others: [] } };
  const found: NewMails[] = [];
  await readNew(look, 'inbox', { since: START, query: {} }, async (news) => void found.push(news));
  expect(found).toEqual([expect.objectContaining(kind)]);
  expect(ranges).toEqual(asked === undefined ? [] : [asked]);
  expect(await readUpTo(database, 'inbox')).toEqual({ folder: 'INBOX 1', nextUid: uidNext });
});
