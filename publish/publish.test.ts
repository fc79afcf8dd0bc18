import { createHash } from 'node:crypto';
import {
  chownSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { truncate } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { transform } from 'lightningcss';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { DAY } from '../contract/time.ts';
import { readHeaders } from '../server/http/static.ts';
import { PROJECT_ROOT, readSettings } from '../settings/settings.ts';
import { partLink } from '../site/ui/shape.ts';
import { temporaryFolder } from '../tests/support/service.ts';
import { replaceFolder, sealOf, sizesIn } from './folder.ts';
import { contentSecurityPolicy, headersFile } from './headers.ts';
import { makeSharePicture } from './pictures.ts';
import { openProgram } from './program.ts';
import { ensureProgram, isPublished, publish, recordOf, shownOf } from './publish.ts';
import { laidOver, readParts, type Words } from './words.ts';

beforeAll(() => ensureProgram());

function aPage() {
  const [words, folder] = [temporaryFolder(), join(temporaryFolder(), 'dist')];
  const settings = (env: Record<string, string> = {}) => readSettings({ WORDS_DIR: words, ...env });
  return {
    folder,
    words,
    isUpToDate: (env?: Record<string, string>) => isPublished(settings(env), folder),
    async put(own?: Words, day = 0): Promise<string> {
      if (own) writeFileSync(join(words, 'words.json'), JSON.stringify(own));
      await publish(settings(), folder, new Date(day * DAY));
      return readFileSync(join(folder, 'index.html'), 'utf8');
    },
  };
}

test('only what’s made from something else is made again, and the page is swapped whole', async () => {
  const { put, folder } = aPage();
  const filesAfter = async (own: Words) => {
    const html = await put(own);
    const share = readdirSync(join(folder, 'assets')).filter((name) => name.startsWith('share-'));
    const fonts = [...html.matchAll(/ href="\/(assets\/archivo\S+\.woff2)"/g)].map(([, path = '']) => path);
    expect(fonts).toHaveLength(2);
    return { share, fonts, html };
  };
  const first = await filesAfter({});
  const packed = globSync(`${folder}/{404.html,assets/later-*,assets/*/plan.svg}.br`);
  for (const path of packed) writeFileSync(path, readFileSync(path).fill('#'));
  const worded = await filesAfter({ contact: { heading: 'Draw yours' } });
  expect(packed.map((path) => readFileSync(path, 'utf8')[0])).toEqual(['#', '#', '#']);
  expect(worded).toEqual({ ...first, html: expect.stringContaining('Draw yours') });
  const headline = await filesAfter({ hero: { headline: 'Find it.' } });
  expect(/<title>([^–]+)/.exec(headline.html)?.[1]).toBe('Find it ');
  expect(headline.fonts).toEqual(first.fonts);
  expect(headline.share).not.toEqual(first.share);
  const letters = await filesAfter({ contact: { heading: 'Zażółć' } });
  expect(letters.fonts).not.toEqual(first.fonts);
  expect(letters.share).toEqual(first.share);
  expect(readdirSync(join(folder, '..'))).toEqual(['dist', 'dist.json']);
});

test('no file for a host contains anything that isn’t shown', async () => {
  const { put, folder } = aPage();
  await put({ privacy: { on: false, updated: 'At 12 Home Street' } });
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const texts = paths.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  expect(texts.length).toBeGreaterThan(50);
  expect(texts.filter((text) => text.includes('Home Street'))).toEqual([]);
});

test('no headline runs into the drawing in the preview picture', async () => {
  const program = await openProgram(laidOver(await readParts(), {}));
  const drawn = async (change: object) => {
    const { png } = await makeSharePicture({ ...program.renderShared(), ...change }, program, 'png');
    return sharp(png).raw().toBuffer();
  };
  const headline = 'Réglez ce qui ralentit votre entreprise au quotidien.';
  const [empty, plan] = [await drawn({ headline: ' ', plan: '' }), await drawn({ headline: ' ' })];
  const words = await drawn({ headline, plan: '' });
  expect(empty.some((byte, at) => byte !== words[at] && byte !== plan[at])).toBe(false);
});

test('what a page that’s open may still ask for stays for 30 days, packed too, and a picture goes at once', async () => {
  const { put, folder } = aPage();
  await put({ hero: { headline: 'Find it' } });
  // Files from another program, and a photo.
  const others = ['islands-00000000.js', 'drawings-00000000/plan.svg', 'founder-00000000.webp'];
  mkdirSync(join(folder, 'assets/drawings-00000000'));
  for (const path of others) writeFileSync(join(folder, 'assets', path), 'of before');
  const before = Object.keys(await sizesIn(folder));
  await put({ contact: { heading: 'Zażółć' } }, 10);
  const gone = async (day: number) => {
    await put(undefined, day);
    const now = await sizesIn(folder);
    const left = before.filter((path) => !(path in now));
    return left.map((path) => path.replace(/-\w{8}\./, '.')).sort();
  };
  const pictures = ['assets/founder.webp', 'assets/share.png'];
  expect(await gone(39)).toEqual(pictures);
  const styles = ['assets/later.css', 'assets/later.css.br', 'assets/later.css.gz'];
  const fonts = ['assets/archivo-wide.woff2', 'assets/archivo.woff2'];
  const drawn = ['assets/drawings-00000000/plan.svg', 'assets/islands.js'];
  expect(await gone(40)).toEqual([...fonts, ...drawn, ...styles, ...pictures].sort());
});

test('a page is stale once a setting that it shows or uses, a word, the photo or the program has changed', async () => {
  const { put, words, folder, isUpToDate } = aPage();
  expect(await isUpToDate(), 'none').toBe(false);
  await put();
  for (const [name, value] of [
    ['CONTACT_EMAIL', 'ops@example.com'],
    ['SITE_URL', 'https://www.example.com'],
    ['VITE_SUPABASE_URL', 'https://abcdefgh.supabase.co'],
    ['VITE_SUPABASE_ANON_KEY', 'sb_publishable_another'],
    ['RETENTION_DAYS', '365'],
    // The privacy policy names its host.
    ['SMTP_URL', 'smtps://user:password@smtp.example.com:465'],
  ] as const)
    expect(await isUpToDate({ [name]: value }), name).toBe(false);
  expect(await isUpToDate({ PORT: '9090', DATABASE_URL: 'file:./my.db', LOG_LEVEL: 'debug' })).toBe(true);
  writeFileSync(join(words, 'history.json'), '{}');
  expect(await isUpToDate(), 'what can be undone shows nowhere').toBe(true);
  for (const name of ['words.json', 'founder.jpg']) {
    writeFileSync(join(words, name), '{"hero": {"headline": "Mine"}}');
    expect(await isUpToDate(), name).toBe(false);
    rmSync(join(words, name));
  }
  const file = await recordOf(folder);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"version":"', '"version":"0'));
  expect(await isUpToDate(), 'of another program').toBe(false);
});

test('nothing is taken over from a page that a power cut left empty or half', async () => {
  const { put, folder, isUpToDate } = aPage();
  await put();
  const whole = await sizesIn(folder);
  for (const [damaged, length] of [
    [/\.woff2$/, 0],
    [/share-.*png$/, 4096],
    [/index\.html\.br$/, 0],
    [/later-.*\.css$/, 100],
  ] as const) {
    const paths = Object.keys(whole).filter((path) => damaged.test(path));
    expect(paths).not.toEqual([]);
    for (const path of paths) await truncate(join(folder, path), length);
    expect([damaged, await isUpToDate()]).toEqual([damaged, false]);
    await put();
    expect([damaged, await sizesIn(folder)]).toEqual([damaged, whole]);
    expect(await isUpToDate()).toBe(true);
  }
});

test('a page that has another’s record, as after a kill, stays if the next one can’t be made', async () => {
  const [page, other] = [aPage(), aPage()];
  const html = await page.put();
  await other.put({ hero: { headline: 'Another one.' } });
  copyFileSync(await recordOf(other.folder), await recordOf(page.folder));
  const red = (width: number) => sharp({ create: { width, height: 800, channels: 3, background: 'red' } });
  writeFileSync(join(page.words, 'founder.jpg'), (await red(640).jpeg().toBuffer()).subarray(0, 1000));
  await expect(page.put()).rejects.toThrow('can’t be read as a photo');
  expect(readFileSync(join(page.folder, 'index.html'), 'utf8')).toBe(html);
  writeFileSync(join(page.words, 'founder.jpg'), await red(9).jpeg().toBuffer());
  await expect(page.put({ another: 'fault' }), 'before anything is made').rejects.toThrow('only 9 × 800');
});

test('no component’s class has the name of another’s, or of one for the whole page', () => {
  const owners = new Map<string, Set<string | undefined>>();
  for (const filename of globSync('site/**/*.css', { cwd: PROJECT_ROOT })) {
    const code = readFileSync(join(PROJECT_ROOT, filename));
    const { exports = {} } = transform({ filename, code, cssModules: { customIdents: false } });
    const owner = filename.includes('.module.') ? basename(filename).split('.')[0] : 'the page';
    for (const name of Object.keys(exports)) owners.set(name, (owners.get(name) ?? new Set()).add(owner));
  }
  expect([owners.get('hero'), owners.get('button')]).toEqual([new Set(['Hero']), new Set(['the page'])]);
  expect([...owners].filter(([, { size }]) => size > 1)).toEqual([]);
});

test('the legal pages name who else has a message, and no address of a private network', () => {
  const handlers = (database: string, mail: string) =>
    shownOf(readSettings({ DATABASE_URL: `postgres://u:p@${database}/site`, SMTP_URL: `smtp://${mail}` }))
      .handlers;
  expect(handlers('db:5432', '10.0.0.5:25')).toEqual({ mailHost: undefined, storeHost: undefined });
  const hosts = { mailHost: 'mail.example.com', storeHost: 'db.example.com' };
  expect(handlers(hosts.storeHost, hosts.mailHost)).toEqual(hosts);
});

test('every colour that a drawing asks for is set in its file', async () => {
  const { renderDrawings, drawings } = await openProgram(laidOver(await readParts(), {}));
  for (const [path, svg] of Object.entries(renderDrawings(drawings, sealOf).files)) {
    const asked = [...svg.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
    expect([path, ...asked.filter((name) => !svg.includes(`${name}:`))]).toEqual([path]);
  }
});

test('no link within our page leads nowhere, nor would one that the words could have, and it names no founder', async () => {
  const html = await aPage().put();
  const ids = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, id]) => id);
  const links = [...ids(/ href="#([^"]+)"/g), ...partLink().entries.id.options];
  expect(links.length).toBeGreaterThan(10);
  expect(html).not.toContain('"Person"');
  expect(links.filter((id) => id !== 'top' && !ids(/ id="([^"]+)"/g).includes(id))).toEqual([]);
});

test('a page takes the place of the one before, or of none, once it’s whole; if it can’t, that one stays; of the others, only what a kill left is cleaned up', async () => {
  const root = temporaryFolder();
  const page = join(root, 'dist');
  const make = (words: string) =>
    replaceFolder(page, async (fresh) => {
      mkdirSync(fresh);
      writeFileSync(join(fresh, 'index.html'), words);
    });
  for (const name of ['first', 'second']) await make(name);
  const halfMade = async (fresh: string) => {
    mkdirSync(fresh);
    throw new Error('no room');
  };
  // With nothing made, the move fails, after the page has left its place.
  for (const fails of [halfMade, async () => undefined]) {
    await expect(replaceFolder(page, fails)).rejects.toThrow(/no room|ENOENT/);
    expect(readFileSync(join(page, 'index.html'), 'utf8')).toBe('second');
    expect(readdirSync(root)).toEqual(['dist']);
  }

  const names = ['dist.new-1', 'dist.old-2', 'dist.new-3', 'dist.news', 'distant.new-4'];
  for (const name of names) mkdirSync(join(root, name));
  for (const name of names.filter((one) => one !== 'dist.new-3')) utimesSync(join(root, name), 0, 0);
  await make('third');
  expect(readdirSync(root).toSorted()).toEqual(['dist', 'dist.new-3', 'dist.news', 'distant.new-4']);
});

const asRoot = test.skipIf(process.getuid?.() !== 0);
asRoot('a page takes the place of one made by root, who may have started the site once', async () => {
  const page = join(temporaryFolder(), 'dist');
  mkdirSync(join(page, 'assets/of-root'), { recursive: true });
  chownSync(join(page, '..'), 65_534, -1);
  process.seteuid?.(65_534);
  await replaceFolder(page, async (fresh) => mkdirSync(fresh)).finally(() => process.seteuid?.(0));
  expect(readdirSync(page)).toEqual([]);
});

const PAGES = ['index.html', '404.html', 'privacy/index.html'];

const headersAt = (path: string, siteUrl?: string) =>
  readHeaders(headersFile(PAGES, contentSecurityPolicy('a{}', 'go()', undefined), siteUrl))(path);

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test('at each of its addresses a page may load and run what its policy names, its own inline code by hash, and nothing else', () => {
  for (const path of ['/', '/index.html', '/404.html', '/privacy', '/privacy/', '/privacy/index.html'])
    expect(headersAt(path)['content-security-policy']?.split(';').toSorted(), path).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      `script-src 'self' ${hash('go()')}`,
      `style-src 'self' ${hash('a{}')}`,
    ]);
});

test('only a site that is reached over https promises to stay there', () => {
  const promised = (siteUrl?: string) => headersAt('/', siteUrl)['strict-transport-security'];
  expect([promised(), promised('http://site.test')]).toEqual([undefined, undefined]);
  expect(promised('https://site.test')).toBe('max-age=63072000');
});

test('what has a hash in its name is kept for ever, and what a page fetches carries nothing that only a page needs', () => {
  const sniffed = { 'x-content-type-options': 'nosniff' };
  expect(headersAt('/robots.txt', 'https://site.test')).toEqual(sniffed);
  const kept = { ...sniffed, 'cache-control': 'public, max-age=31536000, immutable' };
  expect(headersAt('/assets/main-abc.js', 'https://site.test')).toEqual(kept);
});
