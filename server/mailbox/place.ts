import type { MailPlace } from '../messages/table.ts';

/** What a mail's sight in a folder means. `deed`: what the owner did to the message by moving its mail. */
export type Verdict = { place: MailPlace; deed?: 'spam' | 'not spam' };

/**
 * What it means that a mail was found in a folder that it wasn't in before. One that's first seen in Junk came there by
 * the provider's doing. One that was elsewhere before has been moved there, which says that it's spam; but if it's
 * unread, a filter may have done it, so the owner hears of it as well (docs/decisions/0094-where-the-mail-lies.md).
 *
 * @param isNew it came into the folder since the last look; otherwise, it may be a copy that has lain there all along
 */
export function judge(
  before: MailPlace | null,
  now: 'inbox' | 'junk',
  { isRead, isNew }: { isRead: boolean; isNew: boolean },
): Verdict {
  const wasInJunk = before === 'junk' || before === 'moved';
  if (now === 'inbox') return wasInJunk ? { place: 'inbox', deed: 'not spam' } : { place: 'inbox' };
  if (wasInJunk) return { place: before };
  if (before === 'inbox' || before === 'elsewhere')
    return isNew ? { place: isRead ? 'moved' : 'junk', deed: 'spam' } : { place: before };
  return { place: 'junk' };
}
