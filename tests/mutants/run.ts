import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PARTS } from './parts.ts';

/**
 * `npm run test:mutants`: changes the source in one small place at a time, and asks whether a test fails. Fails if too
 * few changes are noticed, or if one goes unnoticed that isn't in survivors.txt with its reason.
 *
 * `npm run test:mutants -- outbox --concurrency 1` runs one part, with an option of Stryker's. A run that was broken off
 * goes on where it was; one that follows a change runs what the change touches. `--force` begins anew.
 */
const HERE = import.meta.dirname;
const ROOT = join(HERE, '../..');

/** Of mutation-testing-elements' report, what's read here. */
type Place = { line: number; column: number };
type Mutant = { status: string; replacement: string; location: { start: Place; end: Place } };
type Report = { files: Record<string, { source: string; mutants: Mutant[] }> };

const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith('--'));
const asked = firstOption < 0 ? args : args.slice(0, firstOption);
const options = firstOption < 0 ? [] : args.slice(firstOption);
const names = asked.length > 0 ? asked : Object.keys(PARTS);
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`Usage: npm run test:mutants -- [${Object.keys(PARTS).join('|')} …] [--option of Stryker …]`);
  process.exit(2);
}

const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');

/** The line as it stands, and in it «what was there → what stood there instead». */
function describe(file: string, source: string, { location: { start, end }, replacement }: Mutant): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const [first = ''] = lines;
  const last = lines.at(-1) ?? '';
  const isOneLine = lines.length === 1;
  const from = first.slice(start.column - 1, isOneLine ? end.column - 1 : undefined);
  const change = `«${oneLine(from)}${isOneLine ? '' : ' …'} → ${oneLine(replacement).slice(0, 90)}»`;
  return `${file}: ${oneLine(first.slice(0, start.column - 1))} ${change} ${oneLine(last.slice(end.column - 1))}`.trim();
}

/** In memory where there's room: waiting for a disk takes half of the time, and no mutant shows there. */
function temporaryFolder(): string {
  const memory = '/dev/shm';
  const isRoomy = () => {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > 1024 ** 3;
  };
  const folder = mkdtempSync(join(existsSync(memory) && isRoomy() ? memory : tmpdir(), 'mutants-'));
  // Postgres doesn't run as root, and has its own folder in it.
  chmodSync(folder, 0o711);
  return folder;
}

const listed = new Set(
  readFileSync(join(HERE, 'survivors.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
);
const unlisted: string[] = [];
const seen = new Set<string>();
const files = new Set<string>();
const belowThreshold: string[] = [];
const TMPDIR = temporaryFolder();
/** A test that was ended with its process couldn't. */
process.on('exit', () => rmSync(TMPDIR, { recursive: true, force: true }));

for (const name of names) {
  console.log(`\n── ${name}`);
  const report = join(ROOT, 'reports/mutants', `${name}.json`);
  const began = performance.now();
  const { status } = spawnSync(
    process.execPath,
    [
      join(HERE, 'node_modules/@stryker-mutator/core/bin/stryker.js'),
      'run',
      join(HERE, 'stryker.config.ts'),
      ...options,
    ],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, TMPDIR, MUTANTS_OF: name } },
  );
  if (status !== 0) belowThreshold.push(name);
  if (!existsSync(report)) continue;
  const counts: Record<string, number> = {};
  const read = JSON.parse(readFileSync(report, 'utf8')) as Report;
  for (const [file, { source, mutants }] of Object.entries(read.files)) {
    files.add(file);
    for (const mutant of mutants) {
      counts[mutant.status] = (counts[mutant.status] ?? 0) + 1;
      if (mutant.status !== 'Survived' && mutant.status !== 'NoCoverage') continue;
      const text = describe(file, source, mutant);
      seen.add(text);
      if (!listed.has(text)) unlisted.push(text);
    }
  }
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const minutes = Math.ceil((performance.now() - began) / 60_000);
  console.log(`${name}: ${all} mutants in ${minutes} min, ${JSON.stringify(counts)}`);
}

const stale = [...listed].filter((text) => files.has(text.split(':')[0] ?? '') && !seen.has(text));
if (stale.length > 0)
  console.log(`\n${stale.length} in survivors.txt that are noticed now:\n${stale.join('\n')}`);
if (unlisted.length > 0)
  console.log(`\n${unlisted.length} unnoticed and not in survivors.txt:\n${unlisted.join('\n')}`);
if (belowThreshold.length > 0)
  console.log(`\nFailed, or too few noticed (see above): ${belowThreshold.join(', ')}`);
process.exitCode = unlisted.length + belowThreshold.length > 0 ? 1 : 0;
