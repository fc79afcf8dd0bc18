import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { MINUTE } from '../../contract/time.ts';
import { questions } from '../../site/content/questions.ts';
import { openDoor, SITE } from '../../tests/support/desk/open-door.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { START, setTime, temporaryFolder } from '../../tests/support/service.ts';
import { readLastGood, writeEnv } from './env-file.ts';
import { OTHER } from './mail-account.ts';

vi.mock('./env-file.ts', { spy: true });

async function openSettings(env: Record<string, string> = {}) {
  const door = await openDoor({ WORDS_DIR: join(temporaryFolder(), 'words'), ...env });
  const her = await door.signedIn();
  // It would change the .env of whoever runs this.
  vi.mocked(writeEnv).mockResolvedValue();
  const { body } = await her.ask('/desk/settings');
  const token = await her.token();
  const was = (/name="was" value="([^"]*)"/.exec(body)?.[1] ?? '').replaceAll('&quot;', '"');
  const save = (typed: Record<string, string>) =>
    her.ask('/desk/settings', { form: { token, was, ...typed } });
  const saidAfter = async (typed: Record<string, string>) => {
    await save(typed);
    return /role="status">(.*?)<\/p>/.exec((await her.ask('/desk/settings')).body)?.[1];
  };
  return { ...door, her, token, save, saidAfter };
}

test('hours and words that are saved at the same moment are both kept', async () => {
  const { her, token, save, lines } = await openSettings();
  const json = { 'content-type': 'application/json', 'x-desk-token': token };
  const typed = questions.items.map(({ answer }, at) => {
    return { key: `questions.items.${at}.answer`, was: answer, value: `${answer}!` };
  });
  const answers = await Promise.all([
    save({ replyHours: '36' }),
    ...typed.map((one) => her.ask('/desk/words/draft/save', { headers: json, body: JSON.stringify(one) })),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 200]));
  expect(lines, 'by the server, at once').toContain('the page is taken over');
  const { fields } = JSON.parse((await her.ask('/desk/words/draft/state')).body);
  for (const { key, value } of [...typed, { key: 'replyHours', value: 36 }])
    expect(fields).toContainEqual(expect.objectContaining({ key, value }));

  const draft = { key: 'replyHours', was: 36, value: 48 };
  await her.ask('/desk/words/draft/save', { headers: json, body: JSON.stringify(draft) });
  const { body } = await her.ask('/desk/settings');
  expect(body, 'what visitors read').toMatch(/name="replyHours"[^>]* value="36"/);
});

test('a password without a provider is refused, and a mail account comes back once, with all else that was typed', async () => {
  const smtp = await untilEnd(startSmtpServer());
  vi.mocked(readLastGood).mockResolvedValue({ SMTP_URL: smtp.url });
  const { her, save, saidAfter } = await openSettings();
  const typed = { user: 'ana', password: 'kx7' };
  expect((await save(typed)).body).toContain('Choose your provider first.');
  const back = { ...typed, press: 'last-good', replyHours: '36', RETENTION_DAYS: '400' };
  expect((await save({ ...back, good: 'smtp.former.example' })).body).toContain(
    'This has changed in the meantime.',
  );
  expect(writeEnv).not.toHaveBeenCalled();
  expect(await saidAfter({ ...back, good: '127.0.0.1' })).toMatch(/^Saved\..* accepted a test email\./);
  expect(vi.mocked(writeEnv).mock.lastCall?.[1]).toMatch(/RETENTION_DAYS=400\n(.*\n)?SMTP_URL=smtp:/);
  expect((await her.ask('/desk/settings')).body).toMatch(/name="replyHours"[^>]* value="36"/);
});

test('if the settings can’t be written, visitors aren’t promised other hours', async () => {
  const { her, save } = await openSettings();
  vi.mocked(writeEnv).mockRejectedValueOnce(new Error('EBUSY'));
  expect((await save({ replyHours: '36', TIME_ZONE: 'Europe/Berlin' })).status).toBe(500);
  const { body } = await her.ask('/desk/settings');
  expect(body).toMatch(/name="replyHours"[^>]* value="24"/);
});

test('for a Supabase project, a change on her computer alone isn’t said to count', async () => {
  const { her, saidAfter } = await openSettings({ VITE_SUPABASE_URL: 'https://abcdefgh.supabase.co' });
  vi.stubEnv('SMTP_URL', '');
  expect(await saidAfter({ replyHours: '36' })).toMatch(/once you’ve uploaded it, and set SENTENCES/);
  const { body } = await her.ask('/desk/settings');
  expect(body).toContain('secrets set NAME=VALUE');
  expect(body, 'the project mails').not.toMatch(/mail server|provider/i);
  const { isUploaded } = JSON.parse((await her.ask('/desk/words/draft/state')).body);
  expect(isUploaded).toBe(true);
  expect((await her.ask('/desk/messages')).body).toContain('sends its messages to abcdefgh.supabase.co.');
});

test('she’s told what was done, and nothing else; if no mail gets to the new address, she’s told why, and nothing is saved', async () => {
  const smtp = await untilEnd(startSmtpServer());
  vi.stubEnv('SMTP_URL', smtp.url);
  const { her, save, saidAfter } = await openSettings();
  expect(await saidAfter({ replyHours: '36' })).toBe('Saved and published.');
  expect(await saidAfter({ press: 'test' })).toMatch(/^Your mail server accepted a test email\./);
  const { body: wrong } = await save({ press: 'test', SITE_URL: 'www.firm.example', replyHours: 'two days' });
  expect(wrong, 'all at once').toMatch(/is wrong: &quot;www\.firm\..*This must be a whole number/s);
  expect((await save({ press: 'test', replyHours: '0' })).status).toBe(422);
  expect(smtp.received, 'nothing is mailed for settings that can’t be saved').toHaveLength(1);
  const { body: empty } = await save({ CONTACT_EMAIL: '' });
  expect(empty).toContain('This is missing.');
  const CONTACT_EMAIL = 'new@example.org';
  smtp.failAt('mail', 553);
  const { status, body } = await save({ CONTACT_EMAIL, replyHours: '48' });
  expect(status).toBe(422);
  expect(body).toMatch(/Nothing is saved yet.*our login or sender \(code 553\)/s);
  expect((await her.ask('/desk/settings')).body).toMatch(/name="replyHours"[^>]* value="36"/);
  vi.mocked(writeEnv).mockRejectedValueOnce(Object.assign(new Error('full'), { code: 'ENOSPC' }));
  const { body: full } = await save({ RETENTION_DAYS: '30' });
  expect(full).toMatch(/The disk is full.*<a href="\/desk\/settings">Go back<\/a>/s);
});

test('an hour after its link, a device asks for a fresh one before it changes who gets the mails, and shows what was typed', async () => {
  const { save } = await openSettings();
  setTime(START + 61 * MINUTE);
  const account = { host: 'smtp.evil.example', port: '465', user: 'me', password: 'secret' };
  for (const typed of [
    { SITE_URL: 'https://evil.example' },
    { MAIL_FROM: 'site@evil.example' },
    { CONTACT_EMAIL: 'me@evil.example' },
    { service: OTHER, ...account },
  ]) {
    const { status, body } = await save(typed);
    expect([typed, status]).toEqual([typed, 403]);
    expect(body).toMatch(/action="\/desk\/link\?next=%2Fdesk%2Fsettings" target="_blank"/);
    expect(body).not.toContain('autofocus');
    for (const [name, value] of Object.entries(typed))
      expect(body).toMatch(name === 'password' ? 'placeholder="Type it again."' : value);
  }
  expect(writeEnv).not.toHaveBeenCalled();
});

test('from afar, the site takes an address that doesn’t reach its desk only from someone who is sure', async () => {
  const { save } = await openSettings();
  let shown = 'another page';
  vi.stubGlobal('fetch', async () => new Response(shown));
  for (const SITE_URL of ['http://www.blueprint.ca', 'https://www.bleuprint.ca'])
    expect((await save({ SITE_URL })).body).toContain(`name="sure" value="${SITE_URL}"`);
  expect(writeEnv).not.toHaveBeenCalled();
  shown = `<link rel="canonical" href="${SITE}/">`;
  const SITE_URL = 'https://blueprint.ca';
  expect((await save({ SITE_URL, sure: SITE })).status).toBe(303);
  shown = 'another page';
  expect((await save({ SITE_URL, sure: SITE })).status).toBe(422);
  expect((await save({ SITE_URL, sure: SITE_URL })).status).toBe(303);
  expect(writeEnv).toHaveBeenCalledTimes(2);
});

test('what the environment sets, such as the mail server that a container is given, is shown, and changed there', async () => {
  vi.stubEnv('SMTP_ADDRESS', 'smtp.firm.example');
  vi.stubEnv('SMTP_USERNAME', 'me@firm.example');
  vi.stubEnv('SMTP_PASSWORD', 'kx#7-quiet-harbour');
  vi.stubEnv('MAILER_FROM_ADDRESS', 'site@firm.example');
  vi.stubEnv('REMINDERS', 'off');
  const { her, saidAfter } = await openSettings();
  const { body } = await her.ask('/desk/settings');
  const shown = { host: 'smtp.firm.example', user: 'me@firm.example', MAIL_FROM: 'site@firm.example' };
  for (const [name, value] of Object.entries(shown))
    expect(body).toMatch(new RegExp(`name="${name}"[^>]* disabled[^>]* value="${value}"`));
  expect(body).toMatch(
    /name="REMINDERS"[^>]* disabled>\s*<option [^>]*>On<\/option><option [^>]* selected>Off/,
  );
  expect(body.match(/It’s set where this site is started/g), 'the account’s five fields, too').toHaveLength(
    7,
  );
  expect(body).not.toContain('kx#7');
  expect(await saidAfter({}), 'browsers leave out what is disabled').toBe('Nothing was changed.');
});
