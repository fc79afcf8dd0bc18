import type { MailServer } from './mail-server.ts';
import type { Process, World } from './world.ts';

export class Broken extends Error {
  override name = 'Broken';
}

export type Plan = {
  mailPerHour: number;
  /** As in .env, like the next three. */
  digest: string;
  reminders: string;
  quietHours: string;
  retentionDays: string;
  /** Whether the site looks into the owner's mailbox. */
  imap: boolean;
};

/** How the words begin that nobody would take for spam. */
export const LEAD = 'a lead';
/** The words that several visitors send. */
export const SAME = 'the same again';
export const TIME_ZONE = 'America/Toronto';

export type Visitor = {
  words: string;
  email: string;
  address: string;
  key: string | undefined;
  /** A robot, which fills in the field that people don't see. */
  trap?: boolean;
  acknowledged: string[];
  /** When each try began, and what else had happened by then. */
  tries: { at: number; clockSetAt: number; thawedAt: number }[];
};

/** A stored message, as far as the promises look at it. */
export type Row = {
  id: string;
  message: string;
  email: string;
  received_at: number;
  state: string;
  next_attempt_at: number;
  last_error: string | null;
  message_id: string;
  sent_at: number | null;
  answered_at: number | null;
  reminded_at: number | null;
  held_for: string | null;
  mail_place: string | null;
};

/** What has happened so far, as far as a promise depends on it. Times are the world's own, unless it says otherwise. */
export type Facts = {
  world: World;
  plan: Plan;
  mails: MailServer;
  rows: (which?: string) => Row[];
  rowOf: (id: string) => Row | undefined;
  /** Those that run. */
  servers: () => Process[];
  visitors: Visitor[];
  /** What's no longer there, by the owner's wish or by its age. */
  erased: Set<string>;
  /** When the owner did something to a message that makes another mail of it right. */
  owned: Map<string, number>;
  refusals: { at: number; process: Process }[];
  alertedAt: number;
  /** Since when it works, or doesn't. */
  hook: { works: boolean; since: number };
  mail: { works: boolean; since: number };
  disk: { works: boolean; since: number };
  clockSetAt: number;
  clockSetBackAt: number;
  /** The latest time that the machine's clock has shown since somebody last looked. */
  latestTime: number;
  /** By how much a clock may have made messages older to a purge since somebody last looked. */
  misled: number;
  /** Crashes and stops, which may leave mails in hand. */
  ends: number[];
  crashedAt: number;
  thawedAt: number;
};

/** Ends the story: the site has broken a promise. */
export function broken({ world }: Pick<Facts, 'world'>, text: string): Broken {
  world.note(`BROKEN: ${text}`);
  const why = new Broken(text);
  world.end(why);
  return why;
}

export function awake({ world, servers }: Facts): Process[] {
  return servers().filter((process) => process.frozenUntil <= world.now());
}
