import { html } from 'hono/html';
import { publicAddress } from '../../publish/publish.ts';
import { founderFiles, laidOver, readOwn, readParts, type Words } from '../../publish/words.ts';
import type { Database } from '../../server/messages/database.ts';
import { deliveredWith, lastDoneAt } from '../../server/messages/last-done.ts';
import { countUnanswered, pageOfMessages } from '../../server/messages/queries.ts';
import { isAnswered } from '../../server/messages/table.ts';
import { domainOf } from '../../settings/checks.ts';
import type { Settings } from '../../settings/settings.ts';
import { isExample } from '../check/domain.ts';
import { count } from '../command/command.ts';
import { type DeskApp, page, type Served } from '../sheet/frame.ts';

/** What a site needs before its first visitor, as it is now. */
export async function stepsToReady(settings: Settings, database: Database) {
  const { contactEmail, mail, wordsDir } = settings;
  const { own } = await readOwn(wordsDir);
  const words = laidOver(await readParts(), own) as Record<string, Words | undefined>;
  const { founder, packages, footer } = words;
  const pages = Object.entries((footer?.legal ?? {}) as Record<string, { href: string }>);
  const hasAddress = !isExample(domainOf(contactEmail));
  const address = publicAddress(settings);
  // Servers default to UTC, so if she hasn't chosen a zone, her mails would show times that aren't hers.
  const zone = /^(Etc\/)?UTC$/.test(settings.timeZone) ? ' Choose your time zone there, too: it’s UTC.' : '';
  const mailStep = {
    what: 'Mail to you',
    isDone: mail.via === 'smtp' && (await lastDoneAt(database, deliveredWith(settings))) !== undefined,
    todo: `${
      hasAddress
        ? `Choose who sends the site’s emails to ${contactEmail}, and save with a test email.`
        : 'Give your own email address, and choose who sends the site’s emails to you.'
    }${zone}`,
    link: hasAddress ? '/desk/settings#SMTP_URL' : '/desk/settings#CONTACT_EMAIL',
  };
  const answered = await pageOfMessages(database, { which: isAnswered }, 'newest first', { most: 1 });
  return [
    {
      what: 'Your name and your words',
      isDone: founder?.name !== '' && packages?.effortMeaning !== '',
      todo: 'Add your name (“About you”), and say whose hours the effort counts (“Packages and prices”).',
      link: `/desk/words#${founder?.name === '' ? 'founder.name' : 'packages.effortMeaning'}`,
    },
    {
      what: 'Your photo',
      isDone: !founder || (await founderFiles(wordsDir)).length > 0,
      todo: 'A drawing stands in for you. Choose your photo.',
      link: '/desk/words#founder.picture',
    },
    ...(settings.supabaseUrl ? [] : [mailStep]),
    {
      what: 'An address with https',
      isDone: address?.startsWith('https:') === true && !isExample(new URL(address).hostname),
      todo: 'The address that people type, such as https://www.your-domain.ca. With https, nobody along the way can read what they write to you.',
      link: '/desk/settings#SITE_URL',
    },
    {
      what: 'Privacy and terms',
      isDone: pages.every(([name, { href }]) => href !== '#' || words[name]?.on === true),
      todo: 'Fill in both pages, and show them to visitors.',
      link: '/desk/words#privacy.on',
    },
    {
      what: 'Your first message, answered',
      isDone: answered.rows.length > 0,
      todo: 'Write to yourself through the form on your page, answer it, and mark it as answered.',
      link: address ?? '/',
    },
  ];
}

export function addReady(app: DeskApp, { settings, database }: Served): void {
  app.get('/', async (c) => {
    const steps = await stepsToReady(settings, database);
    const { unanswered } = await countUnanswered(database, c.var.frame.now);
    const done = steps.filter(({ isDone }) => isDone).length;
    if (done === steps.length) return c.redirect('/desk/messages', 303);
    const rows = steps.map(({ what, isDone, todo, link }) =>
      isDone
        ? html`<li><p class="step done"><b>${what}</b> <span>Done</span></p></li>`
        : html`<li><a class="step" href="${link}"><b>${what}</b> <span>${todo}</span></a></li>`,
    );
    const main = html`<div class="head">
<h1>Getting ready</h1>
<p class="lead">${done} of ${steps.length} done. This stays your first page until all of them are.</p>
${unanswered > 0 && html`<p><a href="/desk/messages">${count(unanswered, 'message')} waiting for your answer</a></p>`}
</div>
<ol class="steps">${rows}</ol>`;
    return c.html(page(c.var.frame, 'Getting ready', main));
  });
}
