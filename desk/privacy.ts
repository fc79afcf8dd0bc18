import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { CONTENT, readWords } from '../build/words.ts';
import { FIELD_NAMES } from '../contract/contact.ts';
import { labelOf } from '../messages/fields.ts';
import { FORGOTTEN_WITHIN_HOURS } from '../server/rate-limits.ts';
import { isNear } from '../settings/near.ts';
import { parsePostgresUrl } from '../settings/postgres-url.ts';
import { type Settings, shortPath } from '../settings/settings.ts';
import type { Desk } from './desk.ts';
import { Failed } from './failures.ts';
import { makeNewFile } from './output-file.ts';
import { count, json, note, write } from './terminal.ts';

export function addPrivacy(program: Command, desk: Desk): void {
  program
    .command('privacy [file]')
    .description('draft a privacy policy from your settings, for a lawyer to check')
    .addHelpText(
      'after',
      '\nIt’s Markdown, which any text editor opens. What only you know is in [brackets]. It’s published nowhere.',
    )
    .action(async (file: string | undefined, options: { json?: true }) => {
      const settings = desk.settings();
      const policy = draftPolicy(settings, await readPage(settings), Date.now());
      if (options.json) return write(json(policy));
      if (file === undefined) return write(policy.markdown);
      await makeNewFile(file, (unfinished) => writeFile(unfinished, policy.markdown));
      note(`The draft is in ${file}. What only you know is in [brackets] in it.\n`);
    });
}

/** What the owner's words say. Empty where they say nothing. */
type Page = { business: string; founder: string; notice: string; language: string };

async function readPage({ wordsDir }: Pick<Settings, 'wordsDir'>): Promise<Page> {
  const text = async (file: string, group: string, field: string): Promise<string> => {
    // Where only the server is installed, nobody knows.
    if (!existsSync(CONTENT)) return '';
    const words = await readWords(file, wordsDir).catch(() => {
      throw new Failed(`${file} cannot be read. \`npm run build\` says what to correct.`);
    });
    const value: unknown = Reflect.get(Object(words[group]), field);
    return typeof value === 'string' ? value.trim() : '';
  };
  return {
    business: await text('business.ts', 'brand', 'name'),
    founder: await text('founder.ts', 'founder', 'name'),
    notice: (await text('contact.ts', 'contact', 'privacy')).replace(/[[\]]/g, ''),
    language: await text('site.ts', 'site', 'language'),
  };
}

type Facts = Pick<
  Settings,
  | 'siteUrl'
  | 'contactEmail'
  | 'supabaseUrl'
  | 'database'
  | 'mail'
  | 'imapUrl'
  | 'retentionDays'
  | 'countVisits'
  | 'logLevel'
  | 'timeZone'
>;

/** For whoever else has the data: the owner has to find out who and where that is. */
const whose = (host: string) => `${host} [the company behind ${host}, and the province or country]`;

/** What it says of the software is told at length in docs/privacy.md. */
export function draftPolicy(
  settings: Facts,
  page: Page,
  now: number,
): { toFillIn: string[]; markdown: string } {
  const { siteUrl, contactEmail, retentionDays, supabaseUrl } = settings;
  const me = page.founder || '[your name]';
  const business = page.business || '[the name of your business]';
  const fields = FIELD_NAMES.map((field) => labelOf(field).toLowerCase());
  const typed = new Intl.ListFormat('en-CA').format(fields);
  const body = `In effect since [the day you publish it].

${me}, [your title, such as owner], is the person in charge of the protection of personal information at ${business}. For every question and request: ${contactEmail}, or [your postal address].

## What I collect, and why

When you send the form on ${siteUrl ?? '[the address of your page]'}, I receive what you typed into it: ${typed}. With your message, the site keeps when it came, whether it was mailed to me, when I answered, whether it looks like spam, and how many messages came from the same network address within the hour before. That’s a number, not the address. To tell spam, a program on that server examines your words, how long the page was open and whether the same text came before. If it takes your message for spam, I read it a day later at most. Messages that I’ve judged or answered teach it; nothing leaves the server for that.

I use it to answer you and for nothing else. I don’t sell it, and share it only with those named below. Nothing you type is collected before you press the button: that’s how you consent. Without your message and address, I can’t answer.

## Where it is, and who handles it

- ${whereServed(supabaseUrl)}
- The database with your message is ${whereStored(settings.database)}.
- A mail with the same words goes to me. ${whoCarries(settings.mail)}
- My mailbox, ${contactEmail}, is at [the company that hosts your mailbox, and the province or country].${mailboxRead(settings)}
- Backups and exports are [where you keep backups and exports].

[If any of these is outside your province or country, say so, and that the authorities there may ask for it. Quebec’s law wants an assessment before that.]

## How long I keep it

${howLong(retentionDays)} I keep mails and my answers for [how long you keep mails], backups and exports for [how long you keep backups].

To slow down whoever sends too much, the site remembers the network address of a message ${supabaseUrl || settings.database.engine === 'postgres' ? 'in the database' : 'in the server’s memory'}, and forgets it within ${FORGOTTEN_WITHIN_HOURS} hours.

## What the page does while you read it

It sets no cookie, loads nothing from other companies and tracks nobody. What you’ve typed and not sent yet stays in your own browser until you send it or close the tab.

${visits(settings)} ${log(settings)} [Whoever hosts the page may keep a log with network addresses. Say who, and for how long.]

## Your rights

You can ask me what I keep about you and have a copy of it, in a file that other programs can read. You can have it corrected or erased, and take back your consent. Write to ${contactEmail}. It costs nothing, and I answer within 30 days.

- **In Canada**, under PIPEDA, you can complain to the Office of the Privacy Commissioner of Canada: https://www.priv.gc.ca. Alberta and British Columbia have commissioners of their own.
- **In Quebec**, under Law 25, you can also complain to the Commission d’accès à l’information: https://www.cai.gouv.qc.ca.
- **In the European Union and the United Kingdom**, under the GDPR, you can also object, have the use of your data restricted, and complain to the data protection authority where you live. I use your data because you asked me something, perhaps before a contract (article 6(1)(b)), and because I have to protect the form from abuse (article 6(1)(f)). [Your lawyer knows if you need a representative there.]

If your data is lost or gets into the wrong hands, and that could seriously harm you, I tell you and the authorities.
`;
  const toFillIn = [...new Set([...body.matchAll(/\[([^\]]+)\]/g)].map(([, fact = '']) => fact))];
  const french = /^en\b/.test(page.language)
    ? ''
    : `\n>\n> Your page is in another language (${page.language}). Have the policy translated as well.`;
  const notice = page.notice
    ? `\n>\n> The notice by your form says: “${page.notice}” If the two don’t agree, change one of them.`
    : '';
  const day = new Date(now).toLocaleDateString('en-CA', { dateStyle: 'long', timeZone: settings.timeZone });
  const head = `# Privacy policy of ${business}

> **This is a draft.** The site wrote it from its settings on ${day}. It isn’t legal advice: have a lawyer check it. Then delete these lines, publish it where you like, and put its address into \`footer.ts\`. Draft it again when you change where messages are kept or who carries your mail.
>
> Only you can fill in what’s in [brackets]:
>
${toFillIn.map((fact) => `> - ${fact}`).join('\n')}${notice}${french}
`;
  return { toFillIn, markdown: `${head}\n${body}` };
}

function whereServed(supabaseUrl: string | undefined): string {
  if (!supabaseUrl)
    return 'The server that shows the page and takes your message is at [the company that hosts the server, and the province or country].';
  return `The page is at [the company that hosts the page, and the province or country]. Your message goes straight to a program at ${whose(new URL(supabaseUrl).hostname)}.`;
}

function whereStored(database: Settings['database']): string {
  if (database.engine === 'sqlite') return 'a file on that server';
  const address = parsePostgresUrl(database.url);
  if (typeof address === 'string') throw new TypeError('The settings let a broken address through');
  if (isNear(address.host)) return 'on that server or in its own network';
  return `at ${whose(address.host)}`;
}

function whoCarries(mail: Settings['mail']): string {
  if (mail.via === 'folder') return `It’s written to a file in ${shortPath(mail.folder)} on that server.`;
  const { hostname } = new URL(mail.url);
  if (isNear(hostname)) return 'It goes out through a mail server of my own.';
  return `It goes through ${whose(hostname)}.`;
}

function mailboxRead({ imapUrl }: Pick<Settings, 'imapUrl'>): string {
  return imapUrl
    ? ' The site looks into it by program, to know whether its mail arrived and whether I’ve answered you. It reads header lines there (addresses, dates and subjects), no text, and keeps only in which folder its mail was and when I answered.'
    : '';
}

function howLong(retentionDays: number | undefined): string {
  return retentionDays === undefined
    ? 'There is no fixed period: I keep your message until you ask me to erase it, or until I no longer need it, which is [after how long you erase messages: a period is expected; RETENTION_DAYS in .env can do it for you].'
    : `Your message is erased from the database ${count(retentionDays, 'day')} after it came, unless it’s still waiting to be mailed to me.`;
}

/** A host of files counts nothing. */
function visits({ countVisits, supabaseUrl }: Pick<Settings, 'countVisits' | 'supabaseUrl'>): string {
  return countVisits && !supabaseUrl
    ? 'It counts how often it’s opened and how many messages come: a number for each day, which says nothing about you.'
    : 'It doesn’t count visits.';
}

function log({ logLevel }: Pick<Settings, 'logLevel'>): string {
  return logLevel === 'silent'
    ? 'The server keeps no log.'
    : 'The server’s log says what was requested, when, and whether it worked. It holds no name, no e-mail address, no network address, no browser and no word of a message.';
}
