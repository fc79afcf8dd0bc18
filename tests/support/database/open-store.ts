import { openDatabase } from '../../../server/messages/open.ts';
import { createStore, type Store } from '../../../server/messages/store.ts';
import type { DatabaseSetting } from '../../../settings/checks.ts';

/** A store with a database of its own. */
export async function openStore(
  setting: DatabaseSetting,
  options: Parameters<typeof createStore>[1],
): Promise<Store> {
  return createStore(await openDatabase(setting), options);
}
