import { expect } from '@playwright/test';
import Database from 'better-sqlite3';
import type { ContactMessage } from '../../../contract/contact-message.ts';
import { type Site, test } from '../../support/site/browser-site.ts';
import { EMPTY, expectForm, MOVING, openPage, send, toast } from '../visitor.ts';

test.use(MOVING);

// Tests in a worker share its mailbox, so each of these sends its own text.

async function mailAbout(site: Site, message: ContactMessage) {
  await expect
    .poll(() => site.mailbox.received.filter(({ parsed }) => parsed.text?.includes(message.message)).length)
    .toBe(1);
  return site.mailbox.received.find(({ parsed }) => parsed.text?.includes(message.message));
}

function rowsFrom(site: Site, email: string): unknown[] {
  const database = new Database(site.databaseFile, { readonly: true });
  try {
    return database
      .prepare('select name, email, message, state from contact_message where email = ?')
      .all(email);
  } finally {
    database.close();
  }
}

test('a message typed in the browser arrives in the mailbox and is in the database', async ({
  page,
  site,
}) => {
  const message = {
    name: 'Zoë "Zo" O’Brien, Ltd. <zo>',
    email: 'zoe+plans@example.com',
    message:
      'Bonjour! L’entrepôt est plein à craquer 📦🚚.\n\n"Quoted", \'single\', <b>not bold</b> & more\n\tdone.',
  };
  await openPage(page);
  await send(page, message);
  await expect(toast(page)).toContainText('Success!');
  await expectForm(page, EMPTY);

  const mail = await mailAbout(site, message);
  expect(mail?.to).toEqual(['hello@example.com']);
  expect(mail?.parsed.replyTo).toEqual([{ name: message.name, address: message.email }]);
  expect(mail?.parsed.subject).toContain(message.name);
  expect(mail?.parsed.html).not.toContain('<b>not bold</b>');

  await expect.poll(() => rowsFrom(site, message.email)).toEqual([{ ...message, state: 'sent' }]);
});
