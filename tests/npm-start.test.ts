import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { fingerprint, isStale, STAMP } from '../build/stale.ts';
import { ROOT } from '../build/vite.ts';
import { readSettings } from '../settings/settings.ts';
import { copyContent } from './support/copy-content.ts';
import { copyProject } from './support/copy-project.ts';
import { freePort } from './support/free-port.ts';
import { NO_WORDS } from './support/test-site.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npm-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('whether the site is built anew', () => {
  test.each([
    ['CONTACT_EMAIL', 'ops@example.com'],
    ['SITE_URL', 'https://www.example.com'],
    ['VITE_SUPABASE_URL', 'https://abcdefgh.supabase.co'],
    ['VITE_SUPABASE_ANON_KEY', 'sb_publishable_another'],
    ['RETENTION_DAYS', '365'],
    // The privacy policy names its host.
    ['SMTP_URL', 'smtps://user:password@smtp.example.com:465'],
  ])('it is when %s has changed, which the page shows or uses', async (name, value) => {
    expect(await fingerprint(readSettings({ [name]: value }))).not.toBe(await fingerprint(readSettings({})));
  });

  test.each([
    ['PORT', '9090'],
    ['HOST', '0.0.0.0'],
    ['DATABASE_URL', 'file:./elsewhere/contact.db'],
    ['MAIL_DIR', './elsewhere/mail'],
    ['LOG_LEVEL', 'debug'],
  ])('it is not when %s has changed, which the page knows nothing of', async (name, value) => {
    expect(await fingerprint(readSettings({ [name]: value }))).toBe(await fingerprint(readSettings({})));
  });

  test('it is when a word or photo of the owner’s comes, changes or goes, and not for an empty folder', async () => {
    const at = () => fingerprint(readSettings({ WORDS_DIR: join(folder, 'words') }));
    const seen = [await at()];
    mkdirSync(join(folder, 'words'));
    expect(await at()).toBe(seen[0]);
    for (const change of ['one', 'two']) {
      writeFileSync(join(folder, 'words/hero.ts'), change);
      seen.push(await at());
    }
    renameSync(join(folder, 'words/hero.ts'), join(folder, 'words/founder.jpg'));
    seen.push(await at());
    expect(new Set(seen).size).toBe(4);
  });

  test('it is once a quarter of a year, for the dates that the site holds', async () => {
    const settings = readSettings({});
    const [first, same, next] = await Promise.all(
      ['2026-10-01T00:00Z', '2026-12-31T23:59Z', '2027-01-01T00:00Z'].map((at) =>
        fingerprint(settings, new Date(at)),
      ),
    );
    expect(same).toBe(first);
    expect(next).not.toBe(first);
  });

  test('it is when there is none, or one that was made from something else', async () => {
    const settings = readSettings({});
    expect(await isStale(settings, join(folder, 'nothing-here'))).toBe(true);
    writeFileSync(join(folder, STAMP), 'something else');
    expect(await isStale(settings, folder)).toBe(true);
    writeFileSync(join(folder, STAMP), await fingerprint(settings));
    expect(await isStale(settings, folder)).toBe(false);
  });
});

test('a port that is taken is named before anything is built', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const child = spawn(process.execPath, [join(ROOT, 'build/start.ts')], {
    // Whatever was built before was for other settings.
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), RETENTION_DAYS: '4321' },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toMatch(new RegExp(`^Port ${port} is in use.*PORT=${port + 1}`));
});

describe('a mistake in the words of the page', () => {
  /** A copy of the content with one file edited. */
  function contentWith(file: string, search: string | RegExp, replacement: string): string {
    const content = copyContent(folder);
    const path = join(content, file);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(search, replacement);
    expect(after, 'the edit found its place').not.toBe(before);
    writeFileSync(path, after);
    return content;
  }

  /** Plain Node, as in a real build, since Node reads the files. One for all, since most of a check is its start. */
  let checker: ChildProcess;
  let ended: Promise<unknown>;
  beforeAll(async () => {
    const program = `
      import { checkContent } from ${JSON.stringify(join(ROOT, 'build/check-content.ts'))};
      process.on('message', ([words, content]) =>
        checkContent(words, content).then(() => '', ({ message }) => message).then((said) => process.send(said)));
      process.send('ready');`;
    const args = ['--input-type=module', '--eval', program];
    checker = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    ended = once(checker, 'exit');
    await once(checker, 'message');
  });
  afterAll(() => void checker.kill());

  /** What the build says about these folders. */
  async function reportOn(content: string, wordsDir = NO_WORDS): Promise<string> {
    checker.send([wordsDir, content]);
    const [said] = await Promise.race([
      once(checker, 'message'),
      ended.then(() => expect.fail('The process that checks has ended')),
    ]);
    return said;
  }

  test('is none as the content stands', async () => {
    expect(await reportOn(join(ROOT, 'site/content'))).toBe('');
  });

  test.each([
    [
      'a missing comma',
      'packages.ts',
      'price: 1499,',
      'price: 1499',
      /packages\.ts, near line \d+, .*comma is missing[\s\S]*priceCaption/,
    ],
    [
      'a place that nothing fills in',
      'questions.ts',
      "'{prices}, depending",
      "'{price}, depending",
      /questions\.ts, line (\d+): “answer” of the 1st entry of “items” \(“What does it cost in total\?”\) has \{price\}; only \{country\}/,
      '{price}, depending',
    ],
    [
      'a missing price',
      'packages.ts',
      '      price: 2499,\n',
      '',
      /packages\.ts, line (\d+): “price” of the 2nd entry of “items” \(“The Optimization Blueprint”\) is missing/,
      '{',
    ],
    [
      'a misspelled field',
      'packages.ts',
      "outcome: 'You lead",
      "outcom: 'You lead",
      /packages\.ts, line (\d+): “outcom” of the 3rd entry of “items” \(“The Automation Blueprint”\) .*misspelled/,
      "outcom: 'You lead",
    ],
    [
      'a price with a comma',
      'packages.ts',
      'price: 2499',
      'price: 2,499',
      /packages\.ts, near line (\d+), cannot be read\. Write only the digits of a number/,
      'price: 2,499',
    ],
    [
      'an apostrophe among words',
      'hero.ts',
      'What’s',
      "What's",
      /hero\.ts, near line (\d+), cannot be read\. An apostrophe/,
      "What's",
    ],
    [
      'a headline that pushes the button out of sight',
      'hero.ts',
      /headline: '[^']*'/,
      `headline: '${'a long headline '.repeat(10)}'`,
      /hero\.ts, line (\d+): “headline” can have 60 characters at most/,
      'a long headline',
    ],
    ['a file that is no TypeScript', 'hero.ts', '= {', '= {{', /hero\.ts, near line \d+, cannot be read/],
    [
      'an address without its beginning',
      'footer.ts',
      "label: 'Privacy Policy', href: '#'",
      "label: 'Privacy Policy', href: 'www.rivera-ops.ca'",
      /footer\.ts, line (\d+): “href” of “privacy” of “legal” must be a whole address/,
      'www.rivera-ops.ca',
    ],
    [
      'two popular packages',
      'packages.ts',
      'popular: false',
      'popular: true',
      /packages\.ts, line (\d+): “items” can have one popular package at most$/,
      'items: [',
    ],
    [
      'a single package',
      'packages.ts',
      /(?<=\n {4}\},\n) {4}\{[\s\S]*(?= {2}\],\n\};)/,
      '',
      /packages\.ts, line (\d+): “items” must have at least 2 entries/,
      'items: [',
    ],
    [
      'a file without what the build asks of it',
      'scroll-to-top.ts',
      'export const shape',
      'const shape',
      /scroll-to-top\.ts has no “shape” at its end\. Copy it again/,
    ],
  ])(
    'is named with its file, line and field: %s',
    async (_, file, search, replacement, named, stands = '') => {
      const content = contentWith(file, search, replacement);
      const report = await reportOn(content);
      expect(report).toMatch(named);
      if (!stands) return;
      const line = Number(named.exec(report)?.[1]);
      expect(readFileSync(join(content, file), 'utf8').split('\n')[line - 1]).toContain(stands);
    },
  );

  test('is a file that no part of the page uses, or that one misses', async () => {
    const content = copyContent(folder);
    renameSync(join(content, 'promises.ts'), join(content, 'promises-old.ts'));
    const report = await reportOn(content);
    expect(report).toContain(
      'site/content/promises.ts is missing, and site/sections/Promises.tsx needs it. Copy it again',
    );
    expect(report).toContain('site/content/promises-old.ts is not used by any part of the page; remove it.');
  });

  describe('that are the owner’s own', () => {
    const ours = join(ROOT, 'site/content');
    const packages = readFileSync(join(ours, 'packages.ts'), 'utf8');
    const write = (file: string, text: string) => writeFileSync(join(folder, file), text);

    test('is none where they are few, or copies of ours, also with imports and a shape that are gone', async () => {
      write('founder.ts', "export const founder = {\n  name: 'Sam Rivera',\n};\n");
      write('business.ts', "\uFEFFexport const replyTime = 'soon';\r\nexport const brand = {};\r\n");
      const hero = readFileSync(join(ours, 'hero.ts'), 'utf8');
      write(
        'hero.ts',
        hero.replace('ui/shape.ts', 'ui/gone.ts').replace('kicker: labelled', 'other: labelled'),
      );
      expect(await reportOn(ours, folder)).toBe('');
      for (const file of readdirSync(ours)) cpSync(join(ours, file), join(folder, file));
      expect(await reportOn(ours, folder)).toBe('');
      cpSync(join(ROOT, 'contract/refusal-sentences.ts'), join(folder, 'refusals.ts'));
      const others = ['.DS_Store', 'hero.ts~', 'Thumbs.db', 'founder.jpg.unfinished'];
      for (const name of [...others, 'founder.png']) write(name, '');
      expect(await reportOn(ours, folder)).toBe('');
    });

    test.each([
      [
        'a missing comma',
        'hero.ts',
        "export const hero = {\n  kicker: 'a'\n  lead: 'b',\n};",
        /hero\.ts, near line 3, cannot be read\. Often a comma is missing[\s\S]*lead: 'b'/,
      ],
      [
        'curly quotes',
        'hero.ts',
        'export const hero = {\n  kicker: ‘a’,\n};',
        /hero\.ts, near line 2, cannot be read\. Put straight quotes around words/,
      ],
      [
        'no quotes',
        'hero.ts',
        'export const hero = {\n  kicker: Fix,\n};',
        /hero\.ts, near line 2, cannot be read\. .*\(Fix is not defined\)/,
      ],
      [
        'a price in quotes, in a copy of ours',
        'packages.ts',
        packages.replace('price: 2499', "price: '2499'"),
        /packages\.ts, line (\d+): “price” of the 2nd entry of “items” \(“The Optimization Blueprint”\) must be a whole/,
      ],
      [
        'an entry of a list without one of its fields, since a list is the owner’s whole',
        'questions.ts',
        "export const questions = {\n  items: [\n    { question: 'Why?' },\n  ],\n};",
        /questions\.ts, line 3: “answer” of the 1st entry of “items” \(“Why\?”\) is missing$/,
      ],
      [
        'a field that the page has not, or no longer',
        'hero.ts',
        "export const hero = {\n  headlin: 'a',\n};",
        /hero\.ts, line 2: “headlin” is not a field of the page\. Is its name misspelled\? If an update/,
      ],
      [
        'a currency that there is not',
        'business.ts',
        "export const business = {\n  currency: 'CDN',\n};",
        /business\.ts, line 2: “currency” must be the three capital letters of a currency, such as CAD, but is "CDN"$/,
      ],
      [
        'a place that a refusal has not',
        'refusals.ts',
        "export const refusals = {\n  tooMany: 'Wait {minutes}.',\n};",
        /refusals\.ts, line 2: “tooMany” has \{minutes\}; words in braces can’t be used here$/,
      ],
      [
        'a misspelled name',
        'business.ts',
        "export const brand = { name: 'a' };\nexport const replytime = 'soon';",
        /business\.ts, line 2: this wouldn’t show anywhere\. Write words as: export const brand = … or export const replyHours/,
      ],
      [
        'a forgotten “export”',
        'hero.ts',
        "const hero = { kicker: 'a' };",
        /hero\.ts has no words that the page uses\. Write them as: export const hero = …$/,
      ],
      ['an empty file', 'hero.ts', '', /hero\.ts has no words that the page uses/],
      [
        'a file with another name',
        'heros.ts',
        '',
        /heros\.ts isn’t a file of the page, .* Did you mean hero\.ts\?$/,
      ],
      [
        'anything else',
        'prices.xlsx',
        '',
        /prices\.xlsx isn’t a file .* the same names as those in site\/content; a photo/,
      ],
    ])('is named with the owner’s file and line: %s', async (_, file, text, named) => {
      write(file, text);
      const report = await reportOn(ours, folder);
      expect(report).toContain(`\n  ${folder}/${file}`);
      expect(report).toMatch(named);
      expect(report.match(/^ {2}\S/gm)).toHaveLength(1);
      const [, line] = named.exec(report) ?? [];
      if (line) expect(text.split('\n')[Number(line) - 1]).toContain("price: '2499'");
    });

    test.each([
      ['Latin-1', "// Café\nexport const hero = { kicker: 'Opérations' };", 'latin1', 1],
      ['Windows’ “Unicode”', "export const hero = { kicker: 'a' };", 'utf16le', 1],
      ['two encodings', `export const hero = {\n  lead: '${'\u0080'}',\n};`, 'latin1', 2],
    ] as const)('is a file whose letters are in %s', async (_, text, encoding, line) => {
      writeFileSync(join(folder, 'hero.ts'), Buffer.from(text, encoding));
      const report = await reportOn(ours, folder);
      expect(report).toContain(`  ${folder}/hero.ts, line ${line}, has letters that aren’t UTF-8`);
    });

    test('is ours where the owner has not changed that field', async () => {
      const content = contentWith('hero.ts', "kicker: 'Operations", "kicker: '{nothing} Operations");
      const own = join(folder, 'own');
      mkdirSync(own);
      writeFileSync(join(own, 'hero.ts'), "export const hero = { lead: '' };");
      const report = await reportOn(content, own);
      expect(report).toMatch(/ {2}site\/content\/hero\.ts, line \d+: “kicker” has \{nothing\}/);
      expect(report).toContain(`  ${own}/hero.ts, line 1: “lead” is empty`);
    });

    test('is a photo where it was before the owner’s files had a folder', async () => {
      const content = copyContent(folder);
      writeFileSync(join(content, 'founder.jpg'), '');
      expect(await reportOn(content)).toMatch(
        /site\/content\/founder\.jpg: your photo now belongs in \S+ Move it there\.$/,
      );
    });
  });

  test('is named together with all the others', async () => {
    const content = contentWith('packages.ts', 'price: 1499', 'price: -1');
    const hero = readFileSync(join(content, 'hero.ts'), 'utf8').replace(
      /[\s\S]*?(?=\n\/\* For the build)/,
      "import { group, labelled, lettering, list, matching, type Of, partLink, rows, words } from '../ui/shape.ts';\nexport const hero = { headline: 'Only this' };",
    );
    writeFileSync(join(content, 'hero.ts'), hero);
    const report = await reportOn(content);
    expect(report).toMatch(/site\/content\/packages\.ts, line \d+: “price”/);
    expect(report).toMatch(/site\/content\/hero\.ts, line 2: “lead” is missing/);
  });
});

describe.skipIf(process.platform === 'win32')('npm start in a copy of the project', () => {
  /** Runs until `end`, which sends SIGTERM to npm alone, as a service manager may. */
  function start(env: Record<string, string> = {}) {
    const child = spawn('npm', ['start'], {
      cwd: folder,
      // Its own group, so anything left behind can be killed below.
      detached: true,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        HOST: '127.0.0.1',
        PORT: '0',
        DATABASE_URL: `file:${join(folder, 'contact.db')}`,
        MAIL_DIR: join(folder, 'mail'),
        ...env,
      },
    });
    let out = '';
    let looks: (() => void)[] = [];
    const closed = once(child, 'close');
    onTestFinished(async () => {
      if (child.pid) {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // Nothing was left behind.
        }
      }
      await closed;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        out += chunk;
        for (const look of looks) look();
      });
    }
    /** If it ends early, the test shows its output instead of waiting forever. */
    async function says(pattern: RegExp): Promise<void> {
      const seen = new Promise<void>((resolve) => {
        looks = [() => pattern.test(out) && resolve()];
        if (pattern.test(out)) resolve();
      });
      await Promise.race([seen, closed]);
      expect(out).toMatch(pattern);
    }
    /** Returns all that it said, once the last process that can write there has ended, not just npm. */
    async function end(): Promise<string> {
      child.kill('SIGTERM');
      await closed;
      return out.trimEnd();
    }
    return { says, end };
  }

  /** As if the page had been built. */
  async function pretendToBuild(): Promise<void> {
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/index.html'), '<h1>Home</h1>');
    writeFileSync(join(folder, 'dist', STAMP), await fingerprint(readSettings({})));
  }

  test('ends the build, and then the server in good order, also one that was started anew', async () => {
    copyProject(folder);

    const building = start();
    await building.says(/Building the site/);
    await building.end();
    expect(existsSync(join(folder, 'dist')), 'no build went on by itself').toBe(false);

    await pretendToBuild();
    const served = start();
    await served.says(/The page +http/);
    expect((await served.end()).split('\n').at(-1)).toContain('"msg":"stopped"');

    const anew = start();
    await anew.says(/The page +http/);
    // The server ends since its log is gone.
    rmSync(join(folder, 'contact.db-wal'));
    await anew.says(/started anew[\s\S]*The page +http/);
    expect((await anew.end()).split('\n').at(-1)).toContain('"msg":"stopped"');
  });

  test('takes over a change of .env, builds the page first if it shows it, and goes on if .env is broken', async () => {
    copyProject(folder);
    await pretendToBuild();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const site = start({ PORT: String(port) });
    await site.says(/The page +http/);
    const env = (text: string) => writeFileSync(join(folder, '.env'), text);

    env('LOG_LEVEL=debug\nPORT=1\nTIME_ZONE=Nowhere\n');
    await site.says(/TIME_ZONE +is "Nowhere"[\s\S]*goes on as it was/);
    expect(await (await fetch(url)).text()).toContain('Home');

    env('CONTACT_EMAIL=nobody@example.org\nWORDS_DIR=./contact.db\n');
    await site.says(/WORDS_DIR[\s\S]*goes on as it was/);

    env('CONTACT_EMAIL=new@example.org\n');
    await site.says(/Building the site/);
    expect(await (await fetch(url)).text(), 'while it builds').toContain('Home');
    await site.says(/for new@example\.org/);
    expect(await (await fetch(url)).text()).toContain('new@example.org');

    // As when the desk has built it, but from something else.
    writeFileSync(join(folder, 'dist', STAMP), 'other');
    await site.says(/(The page +http[\s\S]*){3}/);
    const all = await site.end();
    expect(all.split('\n').at(-1)).toContain('"msg":"stopped"');
    expect(all.match(/"msg":"stopped"/g), 'each of them').toHaveLength(3);
  });
});
