import { awake, broken, type Facts, type Row } from './facts.ts';
import type { SimulatedMailbox, Stay } from './mailbox.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What mailbox/watch.ts says: after the longest pause, or the hour after a refused password, it's read again. */
const BACK_WITHIN = 12 * MINUTE;
const BACK_AFTER_REFUSAL = HOUR + 2 * MINUTE;
/** An answer is noted “within a second” where the server tells of it; another search may have to end first. */
const NOTED_WITHIN = 3 * SECOND;
/** Otherwise two minutes, and the beat. */
const LOOKED_WITHIN = 2 * MINUTE + 30 * SECOND;
const MISSED_AFTER = 5 * MINUTE;
const MARKED_WITHIN = 10 * SECOND;
/** Looks for trouble are a minute apart. */
const LOOKS = 4 * MINUTE;

type Moved = { at: number; to: 'Junk' | 'INBOX'; isExpected: boolean };

export type MailProgramDeed =
  | 'reply'
  | 'mail'
  | 'forward'
  | 'to Junk'
  | 'to Junk, unread'
  | 'to the inbox'
  | 'away';

/** What the site promises of the owner's mailbox (docs/desk.md), checked against what's really in there. */
export function createMailboxPromises(facts: Facts, mailbox: SimulatedMailbox) {
  const { world } = facts;
  const alerts: { at: number; text: string }[] = [];
  const moves = new Map<string, Moved[]>();
  /** What the owner said at the desk: when, last. */
  const said = new Map<string, { answered?: number; spam?: number; notSpam?: number; other?: number }>();
  const before = new Map<string, Row>();
  const seenAt = new Map<string, number>();
  const astraySince = new Map<string, number>();
  let checkedAt = world.now();

  const everIn = ({ message_id }: Row, is: (stay: Stay) => boolean) => mailbox.stays(message_id).some(is);

  return {
    /** She writes or moves something in her mail program. */
    does(deed: MailProgramDeed, pick: number): void {
      const all = facts.rows();
      const row = all[pick % Math.max(1, all.length)];
      if (!row) return;
      const { id, email, message_id: messageId, state, mail_place: place } = row;
      if (deed === 'mail' || ((deed === 'reply' || deed === 'forward') && everIn(row, () => true))) {
        world.note(`the owner writes a ${deed} to ${email}`);
        mailbox.answer({ to: email, inReplyTo: messageId }, deed);
        return;
      }
      if (deed === 'reply' || deed === 'forward') return;
      const to = deed === 'to the inbox' ? 'INBOX' : deed === 'away' ? 'Trash' : 'Junk';
      const wasInJunk = everIn(row, ({ path, until }) => path === 'Junk' && until === Infinity);
      if (!mailbox.move(messageId, to, deed === 'to Junk')) return;
      world.note(`her mail ${id} was moved ${deed}`);
      const own = moves.get(id) ?? [];
      for (const move of own) move.isExpected = false;
      moves.set(id, own);
      if (to === 'Trash') return;
      const others = mailbox.stays(messageId).filter(({ until }) => until === Infinity).length > 1;
      const isExpected =
        !others &&
        (to === 'Junk'
          ? (place === 'inbox' || place === 'elsewhere') && state !== 'spam'
          : wasInJunk && (place === 'junk' || place === 'moved') && state === 'spam');
      own.push({ at: world.now(), to, isExpected });
      // As at the desk: what's spam no longer counts as one of the hour's mails.
      facts.owned.set(id, world.now());
    },
    /** She, or what the store knows of it, changed it at the desk. */
    said(id: string, deed: string): void {
      const about = said.get(id) ?? {};
      const now = world.now();
      if (deed === 'answered') about.answered = now;
      else if (deed === 'spam') about.spam = now;
      else if (deed === 'not spam') about.notSpam = now;
      about.other = now;
      said.set(id, about);
      for (const move of moves.get(id) ?? []) move.isExpected = false;
    },
    told(text: string): void {
      alerts.push({ at: world.now(), text });
    },
    checkAll(stored: Row[]): void {
      const { times } = mailbox;
      const back = times.refused > times.fine - HOUR ? BACK_AFTER_REFUSAL : BACK_WITHIN;
      const readSince = Math.max(calmSince(), times.fine) + back;
      checkConnections(readSince);
      for (const row of stored) {
        checkAnswer(row, readSince);
        checkSpam(row, readSince);
        checkPlace(row, readSince);
        checkTold(row);
        checkNotHeldUp(row);
        before.set(row.id, row);
        if (!seenAt.has(row.id)) seenAt.set(row.id, world.now());
      }
      checkedAt = world.now();
    },
  };

  /** No process has more than one connection, those that are gone have none, and after a while, one is enough for all. */
  function checkConnections(readSince: number): void {
    const open = mailbox.open();
    if (open.length > 1 && world.now() > readSince)
      throw broken(facts, `${open.length} servers look into the mailbox`);
    for (const process of new Set(open)) {
      const count = open.filter((each) => each === process).length;
      if (process.isDead || count > 1)
        throw broken(facts, `${process.name} has ${count} connections to the mailbox`);
    }
  }

  /** Since when a server has been there that could look, by the right time. */
  function calmSince(): number {
    const servers = facts.servers();
    if (!world.isClockRight() || !facts.disk.works || servers.length === 0) return Infinity;
    const born = Math.min(...servers.map(({ bornAt }) => bornAt));
    const frozen = servers.map(({ frozenUntil }) => frozenUntil);
    return Math.max(born, facts.clockSetAt, facts.disk.since, facts.ends.at(-1) ?? 0, ...frozen);
  }

  function tellableSince(): number {
    const { works, since } = facts.hook;
    const here = awake(facts).map(({ bornAt, frozenUntil }) => Math.max(bornAt, frozenUntil));
    return Math.max(
      Math.min(...here),
      works ? since : Infinity,
      facts.clockSetAt,
      facts.disk.works ? facts.disk.since : Infinity,
    );
  }

  /** Whatever the mailbox does, a mail that went out is marked as such at once. */
  function checkNotHeldUp({ id, state }: Row): void {
    const last = facts.mails.of(id).at(-1);
    if (state !== 'waiting' || last?.answer !== 'taken') return;
    const at = last.answeredAt ?? last.at;
    const { process } = last;
    const isUndisturbed =
      !process.isDead &&
      process.frozenUntil <= at &&
      facts.disk.works &&
      Math.max(facts.disk.since, facts.clockSetAt, facts.owned.get(id) ?? 0) < at;
    if (isUndisturbed && world.now() > at + MARKED_WITHIN)
      throw broken(facts, `the mail of ${id} went out, and isn't marked as such`);
  }

  function checkAnswer(row: Row, readSince: number): void {
    const { id, email, answered_at: at, message_id: messageId, received_at: receivedAt } = row;
    const own = mailbox.answers.filter(
      ({ isForward, inReplyTo, to, at: sentAt }) =>
        !isForward && (inReplyTo === messageId || (to === email && sentAt >= receivedAt)),
    );
    const was = before.get(id)?.answered_at ?? null;
    if (was !== null && at !== was)
      throw broken(facts, `the answer to ${id} was noted, and is noted for another time`);
    if (at !== null && own.length === 0 && said.get(id)?.answered === undefined)
      throw broken(facts, `${id} counts as answered, and wasn't`);
    // By a clock that was wrong, it may seem older than it is.
    const first = own.find((answer) => answer.at >= Math.max(receivedAt, seenAt.get(id) ?? world.now()));
    const isSpam =
      row.state === 'spam' || row.held_for !== null || said.get(id)?.other !== undefined || moves.has(id);
    if (at !== null || !first || isSpam) return;
    const late = Math.max(readSince, first.at) + (mailbox.isListenedTo() ? NOTED_WITHIN : LOOKED_WITHIN);
    if (world.now() > late) throw broken(facts, `${id} was answered, and that isn't noted`);
  }

  function checkSpam(row: Row, readSince: number): void {
    const { id, state } = row;
    const about = said.get(id);
    const own = moves.get(id) ?? [];
    const was = before.get(id)?.state;
    // Of a mail that came twice, once to a folder of a rule, nobody can say that it wasn't moved from there.
    const cameTwice =
      before.get(id)?.mail_place === 'elsewhere' &&
      everIn(row, ({ path, how }) => path === 'Junk' && how === 'came');
    if (state === 'spam' && row.held_for === null && was !== 'spam')
      if (about?.spam === undefined && !own.some(({ to }) => to === 'Junk') && !cameTwice)
        throw broken(facts, `${id} became spam, and nobody said so`);
    if (was === 'spam' && state !== 'spam')
      if (about?.notSpam === undefined && !own.some(({ to }) => to === 'INBOX'))
        throw broken(facts, `${id} is no longer spam, and nobody said so`);
    const move = own.at(-1);
    // In a folder that's built anew, a move that nobody had seen by then is lost.
    if (!move?.isExpected || mailbox.times.rebuilt > move.at - 2 * HOUR) return;
    // Another of it came since, so it needn't be one that was moved.
    if (everIn(row, ({ how, from }) => how === 'came' && from >= move.at)) return;
    if (world.now() <= Math.max(readSince, move.at) + LOOKED_WITHIN) return;
    if ((state === 'spam') !== (move.to === 'Junk'))
      throw broken(facts, `the mail of ${id} was moved to ${move.to}, and that isn't noted`);
  }

  function checkPlace(row: Row, readSince: number): void {
    const { id, mail_place: place, sent_at: sentAt } = row;
    const now = world.now();
    const isTrue: Record<string, (stay: Stay) => boolean> = {
      inbox: ({ path }) => path === 'INBOX',
      elsewhere: ({ path }) => path !== 'INBOX' && path !== 'Junk',
      junk: ({ path }) => path === 'Junk',
      moved: ({ path }) => path === 'Junk',
    };
    if (place !== null && isTrue[place] && !everIn(row, isTrue[place]))
      throw broken(facts, `the mail of ${id} is said to be: ${place}, where it never was`);
    if (place === 'nowhere' && before.get(id)?.mail_place !== 'nowhere')
      if (everIn(row, ({ from, until }) => from < checkedAt - 2 * MINUTE && until >= now))
        throw broken(facts, `the mail of ${id} is said to be nowhere, and it's there`);
    const isOwn = said.get(id)?.other === undefined && !moves.has(id) && row.state === 'sent';
    if (!isOwn || sentAt === null) return;
    const stays = mailbox.stays(row.message_id);
    const came = Math.max(sentAt, ...stays.map(({ from }) => from));
    const late = Math.max(readSince, came) + LOOKED_WITHIN;
    // Mailed too long before anybody could look.
    if (readSince > sentAt + HOUR - MISSED_AFTER) return;
    if (stays.length === 0 && now > late + MISSED_AFTER && place !== 'nowhere')
      throw broken(facts, `the mail of ${id} is nowhere, and that isn't noted`);
    if (stays.length === 1 && stays[0]?.path === 'Junk' && now > late && place !== 'junk')
      throw broken(facts, `the mail of ${id} came into Junk, and that isn't noted`);
    const isSearched = Math.max(readSince, came) + LOOKED_WITHIN < sentAt + HOUR;
    const isFound = stays.some(({ path }) => path === 'INBOX' || (isSearched && path !== 'Junk'));
    if (isFound && now > late && place === 'nowhere')
      throw broken(facts, `the mail of ${id} came after all, and that isn't noted`);
  }

  function checkTold({ id, mail_place: place, answered_at: at }: Row): void {
    const now = world.now();
    const isAstray = (place === 'junk' || place === 'nowhere') && at === null;
    if (!isAstray) {
      astraySince.delete(id);
      return;
    }
    const from = Math.max(astraySince.get(id) ?? now, tellableSince());
    if (!astraySince.has(id)) astraySince.set(id, now);
    const words = place === 'junk' ? 'Junk' : 'didn’t arrive';
    const told = alerts.filter((alert) => alert.at > now - DAY - HOUR);
    if (now - from > HOUR + LOOKS && told.length === 0)
      throw broken(facts, `the mail of ${id} is astray (${place}), and the owner was not told`);
    if (now - from > DAY + HOUR + LOOKS && !told.some(({ text }) => text.includes(words)))
      throw broken(facts, `the mail of ${id} is astray (${place}), and the owner was told other things only`);
  }
}
