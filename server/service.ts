import type { Sentences } from '../contract/refusal-sentences.ts';
import type { Settings } from '../settings/settings.ts';
import { createBackground } from './background.ts';
import { ENGLISH } from './http/answers.ts';
import { createApp, type FunctionHost } from './http/app.ts';
import { createRateLimits } from './http/limits.ts';
import type { Fetch } from './http/listen.ts';
import { createReadiness } from './http/ready.ts';
import type { Pages } from './http/static.ts';
import { createSubmit } from './http/submit.ts';
import type { Log } from './log.ts';
import type { Mailer } from './mail/transport.ts';
import { openMailer } from './mail/transport.ts';
import type { Database } from './messages/database.ts';
import { openDatabase } from './messages/open.ts';
import { createStore } from './messages/store.ts';
import { openWorkers } from './workers.ts';

export type Service = Awaited<ReturnType<typeof openService>>;

type Options = {
  log: Log;
  pages?: Pages;
  /** What's said to visitors; defaults to the pages' own, and to English without pages. */
  sentences?: Sentences;
  /** False: mails go out only when `outbox.runDue` is called. */
  startOutbox?: boolean;
  /** Defaults to the one in the settings. */
  mailer?: Mailer | undefined;
  /** Already open; defaults to the one in the settings. */
  database?: Database;
  /** Called when the process has to end, since only a new start can use the file in the database's place. */
  onMoved?: (() => void) | undefined;
  /** Makes what answers below /desk. */
  desk?: ((parts: DeskParts) => Fetch) | undefined;
  /** A platform that calls the function; mails then go out after a response, and during sweeps. */
  host?: FunctionHost;
};

/** What the desk has of the server that it's part of. */
export type DeskParts = { database: Database; mailer: Mailer; log: Log };

/** Everything except listening. */
export async function openService(settings: Settings, options: Options) {
  const { log, pages, host, startOutbox = !host } = options;
  const sentences = options.sentences ?? pages?.sentences ?? ENGLISH;
  const database = options.database ?? (await openDatabase(settings.database, databaseOptions()));
  const store = createStore(database, {
    mailDomain: settings.mailFrom.address.split('@')[1] ?? 'localhost',
  });
  const mailer = options.mailer ?? openMailer(settings);
  const workers = openWorkers(settings, { database, store, mailer, log });
  const { trouble, outbox } = workers;
  const limits = createRateLimits({ database, log });
  const background = createBackground({ ...workers, database, log, limits, host, onMoved: options.onMoved });
  const { onStored, onNotStored } = background;
  const submit = createSubmit({ store, limits, sentences, log, onStored, onNotStored });
  let stopping = false;
  const canStore = createReadiness(async (now) => {
    try {
      await store.checkWritable(now);
      await trouble.confirmRoom(now);
      return true;
    } catch (error) {
      log.error({ err: error }, 'not ready: the database takes no messages');
      return false;
    }
  });
  const app = createApp({
    settings,
    submit,
    sentences,
    log,
    pages,
    desk: options.desk?.({ database, mailer, log }),
    isReady: async () => !stopping && (await canStore()),
    host,
    sweep: background.sweep,
  });
  if (startOutbox) background.start();

  function databaseOptions() {
    const onAway = ({ message }: Error) =>
      log.error(
        { fault: message },
        'the database cannot be used yet; visitors read that nothing was saved, and it is tried again',
      );
    return { onAway, replyHours: () => sentences.replyHours };
  }

  return {
    ...workers,
    /** Serves the function, the health checks and, if given, the pages. */
    app,
    store,
    database,
    checkFile: background.checkFile,
    mailDestination: mailer.destination,
    /** Readiness fails from now on; everything else carries on. */
    prepareToStop() {
      stopping = true;
    },
    /** Claims no more, and waits for what's in hand. */
    stopSending: outbox.stop,
    /** Waits for what's in hand, then closes the database. */
    async close() {
      stopping = true;
      await background.stop();
      await trouble.settled();
      mailer.close();
      await store.close();
    },
  };
}
