import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDesk, runDesk } from '../../tests/support/desk/desk-process.ts';
import { linesOf } from '../../tests/support/desk/run-check.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { startServer } from '../../tests/support/service/server-process.ts';
import { temporaryFolder } from '../../tests/support/service.ts';
import { CHECKS, report } from './check.ts';
import { judgeSpace } from './disk.ts';
import { about, type Finding, headline } from './finding.ts';

type Report = {
  at: string;
  verdict: string;
  counts: Record<string, number>;
  findings: (Finding & { check: string })[];
};

async function doctor(folder: string, args: string[], env: Record<string, string>) {
  const { code, out, err } = await runDesk(folder, ['doctor', '--json', ...args], { env });
  expect(err).toBe('');
  const report = JSON.parse(out) as Report;
  const verdicts = Object.fromEntries(report.findings.map(({ id, verdict }) => [id, verdict]));
  return { code, out, report, verdicts };
}

test('the doctor checks everything about a running server, and tests the whole path when asked to', async () => {
  const folder = temporaryFolder();
  const smtp = await untilEnd(startSmtpServer());
  const env = {
    CONTACT_EMAIL: 'owner@blueprint.invalid',
    SMTP_URL: smtp.url.replace('//', '//user:hunter2@'),
    VITE_SUPABASE_ANON_KEY: 'sb_publishable_of_this_test',
  };
  const { port } = await startServer(folder, env);
  const at = { HOST: '127.0.0.1', PORT: `${port}` };
  const { out, report, verdicts } = await doctor(folder, ['--send-test'], { ...env, ...at });
  expect(verdicts).toMatchObject({
    ...{ settings: 'ok', database: 'ok', queue: 'ok', server: 'ok', 'test-mail': 'ok', backup: 'look' },
    ...{ 'mail-server': 'ok', 'mail-encryption': 'ok', 'mail-login': 'ok', 'mail-sender': 'look' },
    ...{ disk: expect.stringMatching(/ok|look/), page: expect.any(String), address: 'look' },
  });
  expect(report.counts.ok).toBe(report.findings.filter(({ verdict }) => verdict === 'ok').length);
  expect(new Date(report.at).toISOString()).toBe(report.at);
  expect(new Set(report.findings.map(({ check }) => check)).size).toBe(9);
  for (const { what, found, todo, link, verdict } of report.findings) {
    expect([what, found].every(Boolean)).toBe(true);
    expect(link === null || link?.startsWith('/desk/')).toBe(true);
    expect(todo === null).toBe(verdict === 'ok');
  }
  expect(out).not.toContain('hunter2');
  expect(smtp.received.map(({ parsed }) => parsed.subject)).toEqual([
    expect.stringContaining('Test of your contact form'),
  ]);
  expect((await runDesk(folder, ['list', '--json'], { env })).out).toBe('[]\n');
});

test('faults of every kind are reported together, none hides another, and nothing is changed or created', async () => {
  const folder = temporaryFolder();
  const gone = await untilEnd(startSmtpServer());
  await gone.goDown();
  const env = { SITE_URL: 'https://blueprint.invalid', SMTP_URL: gone.url };
  const { code, report, verdicts } = await doctor(folder, ['--send-test'], env);
  expect([code, report.verdict]).toEqual([1, 'wrong']);
  const look = { database: 'look', inbox: 'look', 'test-mail': 'look' };
  expect(verdicts).toMatchObject({ settings: 'ok', 'mail-server': 'wrong', ...look });
  expect(readdirSync(folder)).toEqual([]);

  const wrong = { PORT: 'eighty', CONTACT_EMAIL: 'b', SMTP_URL: 'http://user:hunter2@host' };
  const faulty = await doctor(folder, [], { ...env, ...wrong });
  const links = faulty.report.findings.map(({ verdict, link }) => `${verdict} ${link}`);
  const names = ['CONTACT_EMAIL', 'PORT', 'SMTP_URL'];
  expect(links.toSorted()).toEqual(names.map((name) => `wrong /desk/settings#${name}`));
  expect(faulty.out).not.toContain('hunter2');
});

test('a database that can’t be read hides nothing else, even when a test is sent', async () => {
  const { folder, database } = await openTestDesk('sqlite');
  await sql`drop table last_done`.execute(database.db);
  for (const args of [[], ['--send-test']]) {
    const { code, verdicts } = await doctor(folder, args, {});
    const disk = expect.stringMatching(/ok|look/);
    expect([code, verdicts]).toMatchObject([1, { database: 'wrong', disk, server: 'wrong', inbox: 'look' }]);
  }
});

test('a check that throws is reported without the words of the error', async () => {
  const failing = () => Promise.reject(Object.assign(new Error('secret words'), { code: 'ENOENT' }));
  expect(await linesOf(failing)).toEqual(['settings wrong: This couldn’t be checked: ENOENT.']);
});

test('every check is in the guide', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/desk.md'), 'utf8');
  expect(Object.keys(CHECKS).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

test('all is well only if nothing needs a look, and what a server says can’t move the cursor', () => {
  const { ok, look, wrong } = about('mail-server', 'Mail server');
  const fine = [ok('It answers.'), ok('It encrypts.')];
  expect(headline(fine)).toBe('All is well.');
  expect(headline([...fine, look('It is slow.', 'Ask.')])).toBe('1 thing to look at.');
  expect(report([...fine, wrong('It says \u001b[2J.', 'Ask.', '/desk/settings#SMTP_URL')])).toBe(
    'ok     Mail server: It answers.\nok     Mail server: It encrypts.\nwrong  Mail server: It says \uFFFD[2J.\n       → Ask.\n\n1 thing is wrong.\n',
  );
});

test.each([
  [1024, 'ok', '1 GB free.'],
  [1023.9, 'look', 'Only 1023 MB free.'],
  [92, 'wrong', 'Only 92 MB free. Once it’s full, messages can’t be saved.'],
])('%i MB free is %s', (megabytes, verdict, found) => {
  expect(judgeSpace(megabytes * 1024 ** 2)).toMatchObject({ verdict, found });
});
