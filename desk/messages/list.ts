import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { eachMessage } from '../../server/messages/queries.ts';
import { isAny, isIn, STATES } from '../../server/messages/table.ts';
import type { Desk } from '../command/desk.ts';
import { WrongUsage } from '../command/failures.ts';
import { jsonArray } from './find-message.ts';

export async function list(desk: Desk, args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { state: text, limit: text, json: { type: 'boolean' } } });
  const state = STATES.find((name) => name === values.state);
  if (values.state !== undefined && !state) throw new WrongUsage(`The states are ${STATES.join(', ')}.`);
  if (!/^[1-9]\d{0,8}$/.test(values.limit ?? '1'))
    throw new WrongUsage('--limit is a whole number, 1 or more.');
  desk.settings();
  const database = await desk.database();
  const messages = eachMessage(database, state ? isIn(state) : isAny, 'newest first');
  const most = values.limit === undefined ? undefined : Number(values.limit);
  await pipeline(Readable.from(jsonArray(messages, database.replyHours(), most)), process.stdout, {
    end: false,
  });
}
