import { describeHeld } from '../notify.ts';
import { about, type Check } from './check.ts';

const subject = about('messages', 'notify', 'Second way');

/** Whether messages also arrive the second way. It sends nothing; the owner's phone would ring. */
export const notify: Check = {
  about: subject,
  needs: ['DATABASE_URL'],
  when: ({ notify }) => notify !== undefined,
  run: async ({ database, settings }) => {
    const look = await database();
    if (!('queue' in look) || !settings.notify) return [];
    const { waiting, setAside } = look.queue.notices;
    const found = describeHeld(settings.notify, { waiting, setAside });
    if (setAside.count > 0)
      return [subject.look(found, 'Correct NOTIFY_WEBHOOK_URL. Then: npm run desk -- notify --again')];
    if (waiting.fault)
      return [subject.look(found, 'They’re tried again. To try now: npm run desk -- notify --test')];
    return [subject.ok(found)];
  },
};
