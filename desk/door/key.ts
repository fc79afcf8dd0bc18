import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, sync } from '../../server/messages/files.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { PROJECT_ROOT, type Settings } from '../../settings/settings.ts';
import { Failed } from '../command/failures.ts';

/** Signs with a key that's in no database and in no backup. A signature for one purpose is none for another. */
export type Sign = (purpose: 'link' | 'form' | 'device', text: string) => string;

/** All servers of one Postgres have its password in common, so a link asked for at one opens the desk at another. */
export function openKey({ database }: Pick<Settings, 'database'>): Sign {
  const password = database.engine === 'postgres' ? URL.parse(database.url)?.password : '';
  const key =
    password || keyIn(database.engine === 'sqlite' ? dirname(database.file) : join(PROJECT_ROOT, 'data'));
  return (purpose, text) => createHmac('sha256', key).update(`desk ${purpose} ${text}`).digest('base64url');
}

/** Made by whoever needs it first: the server, or `npm run desk` beside it. */
function keyIn(folder: string): string {
  const file = join(folder, 'desk.key');
  makeFolder(folder);
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
    sync(file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const key = readFileSync(file, 'utf8');
  if (key.length < 43) throw new Failed(`${file} isn’t whole. Delete it; links that were sent end with it.`);
  return key;
}
