import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { create } from 'tar';
import { ownFiles } from '../../build/owners-words.ts';
import { PROJECT_ROOT, type Settings } from '../../settings/settings.ts';
import { Failed } from '../failures.ts';
import { ENV_FILE } from '../kept.ts';
import { endOf, PLACE, ssh } from './ssh.ts';

/** What the site and its desk need on a server. Tests beside the source too, or the page would seem out of date. */
const TRAVELS = [
  ...['build', 'contract', 'deploy', 'desk', 'dist', 'server', 'settings', 'site', 'supabase'],
  ...['.env.example', '.npmrc', 'CHANGELOG.md', 'package.json', 'package-lock.json', 'tsconfig.json'],
];

/** How ssh ends when the connection breaks off. */
const LOST = 255;

type Release = {
  /** The site's first; the others lead to it. Without any, the page has no certificate. */
  domains: readonly string[];
  /** A backup's messages, for a server without any. */
  messages: string | undefined;
};

/** Puts all that goes to the server into a folder. What's for deploy/on-server.sh is in .online/. */
export async function packRelease(folder: string, settings: Settings, release: Release): Promise<void> {
  for (const name of TRAVELS) await cp(join(PROJECT_ROOT, name), join(folder, name), { recursive: true });
  await mkdir(join(folder, 'mine'));
  for (const name of await ownFiles(settings.wordsDir))
    await copyFile(join(settings.wordsDir, name), join(folder, 'mine', name));
  if (existsSync(ENV_FILE)) await copyFile(ENV_FILE, join(folder, '.env'));
  const about = join(folder, '.online');
  await mkdir(about);
  const at = new Date().toLocaleString('en-CA', {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
  });
  await writeFile(join(about, 'at'), at);
  await writeFile(join(about, 'domains'), release.domains.join(' '));
  await writeFile(join(about, 'registry'), await registry());
  await writeFile(join(about, 'tools'), await tools());
  if (release.messages) await copyFile(release.messages, join(about, 'messages.db'));
}

/** @param onLine gets what the server says, line by line; the last one stays in the error if it fails */
export async function sendRelease(
  folder: string,
  server: Settings['server'] & {},
  onLine: (line: string) => void,
): Promise<void> {
  const unpack = `umask 077; mkdir -p ${PLACE}/incoming && cd "$(mktemp -d ${PLACE}/incoming/XXXXXX)" && tar -xz --no-same-owner && exec sh deploy/on-server.sh release`;
  const child = ssh(server, unpack, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = endOf(child);
  const packed = create({ gzip: true, cwd: folder, portable: true }, ['.']);
  // If it ends early, its code says more than the broken pipe.
  if (child.stdin) await pipeline(packed, child.stdin).catch(() => undefined);
  await report(child, onLine);
  const code = await ended;
  if (code === LOST)
    throw new Failed('The connection broke off. Run npm run online again: it goes on from there.');
  if (code !== 0) throw new Failed('It isn’t online. The lines above say why; what was online still is.');
}

export async function report(child: ReturnType<typeof ssh>, onLine: (line: string) => void): Promise<void> {
  let rest = '';
  for await (const text of child.stdout?.setEncoding('utf8') ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(onLine);
  }
  if (rest) onLine(rest);
}

/** Where npm gets its packages here, so the server gets them there, too. */
async function registry(): Promise<string> {
  const npm = spawn('npm config get registry', { shell: true, stdio: ['ignore', 'pipe', 'ignore'] });
  let url = '';
  await report(npm, (line) => {
    url = line.trim() || url;
  });
  return url.endsWith('/') ? url : `${url}/`;
}

type Locked = {
  packages: Record<string, { version: string; integrity?: string; os?: string; cpu?: string }>;
};

/** A line for each Node that a server might need, and for npm: what, processor, package, version, SHA-512. */
async function tools(): Promise<string> {
  const read = async (path: string) => JSON.parse(await readFile(join(PROJECT_ROOT, path), 'utf8'));
  const { packages }: Locked = await read('runtime/package-lock.json');
  const uname: Record<string, string> = { x64: 'x86_64', arm64: 'aarch64' };
  const nodes = Object.entries(packages).flatMap(([path, { version, integrity = '', os, cpu }]) => {
    if (!String(os).includes('linux')) return [];
    const sum = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    return `node ${uname[String(cpu)]} ${path.replace('node_modules/', '')} ${version} ${sum}`;
  });
  const { packageManager }: { packageManager: string } = await read('package.json');
  const [name, version, sum] = packageManager.split(/@|\+sha512\./);
  return [...nodes, `npm any ${name} ${version} ${sum}`, ''].join('\n');
}
