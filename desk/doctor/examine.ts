import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isExample, publicAddress } from '../../build/placeholders.ts';
import { DIST } from '../../build/stale.ts';
import { openDatabase } from '../../messages/open.ts';
import { StoreError } from '../../messages/store-error.ts';
import { localAddress } from '../../server/listen.ts';
import { loadEnv, PROJECT_ROOT, type Settings } from '../../settings/settings.ts';
import { DESK_CONNECTION, shortPath } from '../desk.ts';
import { checkDatabase, database } from './database.ts';
import { openLookup } from './dns.ts';
import { checkDisk, checkFileModes, disk, modes } from './files.ts';
import { type Check, type Finding, runChecks } from './finding.ts';
import { checkMailFolder, mails, mailsOfProject } from './mail-folder.ts';
import { checkMailServer, connection } from './mail-server.ts';
import { address, checkAddress, checkPage, checkPlaceholders, page, placeholder } from './page.ts';
import { checkResend, service } from './resend.ts';
import { checkInbox, checkSenderDomain, domainOf, inbox, notAsked, sender } from './sender-domain.ts';
import { checkForm, checkServer, form, server } from './server.ts';
import { readEnv, readWhatCan } from './settings-read.ts';
import { sendTestMail, testMail } from './test-mail.ts';

type Options = {
  now: number;
  sendTest?: true;
  dkimSelector?: string | undefined;
  dnsServer?: string | undefined;
};

/** For each check, in milliseconds: more than what it waits for by itself, so that it can say why. */
const LIMITS = { quick: 10_000, network: 15_000, mail: 30_000, database: 30_000 };
/** For a test mail; most servers take it within a second or two. */
const MAIL_PATIENCE_MS = 30_000;

/** Everything that can be found out, in the order in which it is read. */
export async function examine(options: Options): Promise<Finding[]> {
  const { env, findings } = readEnv(loadEnv);
  const { settings, faulty, findings: ofSettings } = readWhatCan(env, PROJECT_ROOT);
  findings.push(...ofSettings, ...(await runChecks(listChecks(settings, options), faulty)));
  // Last and alone, since opening the database brings it up to date and would mend what is looked at above.
  if (options.sendTest) findings.push(...(await runChecks([testCheck(settings)], faulty)));
  return findings;
}

function listChecks(settings: Settings, { now, dkimSelector, dnsServer }: Options): Check[] {
  const ownUrl = localAddress(settings.host, settings.port);
  const folders = settings.database.engine === 'sqlite' ? [dirname(settings.database.file)] : [];
  if (settings.mail.via === 'folder' && !settings.supabaseUrl) folders.push(settings.mail.folder);
  const siteUrl = publicAddress(settings);
  const isSeenByVisitors = siteUrl !== undefined || settings.supabaseUrl !== undefined;

  return [
    {
      about: database,
      needs: ['DATABASE_URL', 'TIME_ZONE', 'DIGEST'],
      limitMs: LIMITS.database,
      run: (signal) => checkDatabase(settings, now, signal),
    },
    {
      about: server,
      needs: ['HOST', 'PORT'],
      limitMs: LIMITS.network,
      run: (signal) => checkServer(ownUrl, settings, signal),
    },
    // Without a public address the form is where the server is, and the line above says all.
    ...(isSeenByVisitors
      ? [
          {
            about: form,
            needs: ['SITE_URL', 'VITE_SUPABASE_URL', 'VITE_SUPABASE_ANON_KEY'],
            limitMs: LIMITS.network,
            run: (signal: AbortSignal) => checkForm(settings, ownUrl, signal),
          },
        ]
      : []),
    mailCheck(settings, now),
    ...dnsChecks(settings, { dkimSelector, dnsServer }),
    { about: disk, limitMs: LIMITS.quick, run: () => checkDisk(folders) },
    {
      about: modes,
      needs: ['DATABASE_URL', 'MAIL_DIR'],
      limitMs: LIMITS.quick,
      run: () =>
        checkFileModes(databaseFiles(settings), {
          mailFolder: settings.mailDir,
          secrets: secretFiles(settings),
        }),
    },
    {
      about: page,
      limitMs: LIMITS.network,
      run: (signal) => checkPage(settings, { dist: DIST, ownUrl, signal }),
    },
    ...(siteUrl
      ? [
          {
            about: address,
            needs: ['SITE_URL'],
            limitMs: LIMITS.network,
            run: (signal: AbortSignal) => checkAddress(siteUrl, now, signal),
          },
        ]
      : []),
    {
      about: placeholder,
      needs: ['SITE_URL', 'CONTACT_EMAIL'],
      limitMs: LIMITS.quick,
      run: () => checkPlaceholders(settings),
    },
  ];
}

function mailCheck(settings: Settings, now: number): Check {
  const { mail, mailFrom, supabaseUrl } = settings;
  const needs = ['SMTP_URL', 'RESEND_API_KEY', 'RESEND_BASE_URL', 'MAIL_DIR', 'MAIL_FROM'];
  if (mail.via === 'smtp')
    return { about: connection, needs, limitMs: LIMITS.mail, run: () => checkMailServer(mail.url, { now }) };
  if (mail.via === 'resend') {
    const account = { apiKey: mail.apiKey, baseUrl: mail.baseUrl, from: mailFrom.address };
    return { about: service, needs, limitMs: LIMITS.network, run: (signal) => checkResend(account, signal) };
  }
  const run = async () => (supabaseUrl ? [mailsOfProject(supabaseUrl)] : await checkMailFolder(mail.folder));
  return { about: mails, needs, limitMs: LIMITS.quick, run };
}

function dnsChecks(
  { mail, mailFrom, contactEmail }: Settings,
  { dkimSelector, dnsServer }: Pick<Options, 'dkimSelector' | 'dnsServer'>,
): Check[] {
  const domain = domainOf(mailFrom.address);
  const isOneExample = isExample(domain) && mailFrom.address === contactEmail;
  const lookup = (signal: AbortSignal) => openLookup(dnsServer, signal);
  const senderCheck: Check = {
    about: sender,
    needs: ['MAIL_FROM', 'CONTACT_EMAIL'],
    limitMs: LIMITS.network,
    late: notAsked(sender, domain),
    run: (signal) =>
      checkSenderDomain(domain, {
        lookup: lookup(signal),
        dkimSelector,
        // Resend sends in the name of this subdomain, and shows the owner's domain.
        envelopeDomain: mail.via === 'resend' ? `send.${domain}` : undefined,
      }),
  };
  return [
    ...(isOneExample ? [] : [senderCheck]),
    {
      about: inbox,
      needs: ['CONTACT_EMAIL'],
      limitMs: LIMITS.network,
      late: notAsked(inbox, domainOf(contactEmail)),
      run: (signal) => checkInbox(contactEmail, lookup(signal)),
    },
  ];
}

function testCheck(settings: Settings): Check {
  return {
    about: testMail,
    needs: [
      'DATABASE_URL',
      'HOST',
      'PORT',
      'SITE_URL',
      'VITE_SUPABASE_URL',
      'VITE_SUPABASE_ANON_KEY',
      'MAIL_DIR',
    ],
    limitMs: MAIL_PATIENCE_MS + LIMITS.network,
    run: async (signal) => {
      // Sent without a database to watch it in, it would stay in the owner's queue.
      if (settings.database.engine === 'sqlite' && !existsSync(settings.database.file)) {
        const found = `Not sent: there is no database at ${shortPath(settings.database.file)} to watch it in.`;
        return [testMail.look(found, 'Start the server, or set DATABASE_URL to the database that it uses.')];
      }
      const opened = await openDatabase(settings.database, DESK_CONNECTION).catch((error: unknown) => {
        if (error instanceof StoreError) return undefined;
        throw error;
      });
      if (!opened)
        return [testMail.look('Not sent: the database cannot be used.', 'See to the database first.')];
      try {
        return await sendTestMail({
          settings,
          ownUrl: localAddress(settings.host, settings.port),
          database: opened,
          patienceMs: MAIL_PATIENCE_MS,
          signal,
        });
      } finally {
        await opened.close();
      }
    },
  };
}

/** SQLite keeps the newest messages in files beside its own. */
function databaseFiles({ database: setting }: Settings): string[] {
  return setting.engine === 'sqlite' ? ['', '-wal', '-shm'].map((suffix) => setting.file + suffix) : [];
}

/** `.env`, once there is something in it that others must not know. */
function secretFiles({ mail, alertWebhookUrl, database: setting }: Settings): string[] {
  const hasKey = mail.via === 'resend' || (mail.via === 'smtp' && new URL(mail.url).password !== '');
  const isSecret = hasKey || alertWebhookUrl || setting.engine === 'postgres';
  return isSecret ? [join(PROJECT_ROOT, '.env')] : [];
}
