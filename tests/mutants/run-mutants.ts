import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PARTS } from './parts.ts';

/**
 * `npm run test:mutants`: changes the source in one small place at a time, and asks whether a test fails. It prints the
 * changes that no test notices, and fails if there are too many of them.
 *
 * `npm run test:mutants -- outbox --concurrency 1` runs one part, with an option of Stryker's. A run that was broken off
 * goes on where it was; one that follows a change runs what the change touches. `--force` begins anew.
 */
const HERE = import.meta.dirname;

const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith('--'));
const asked = firstOption < 0 ? args : args.slice(0, firstOption);
const options = firstOption < 0 ? [] : args.slice(firstOption);
const names = asked.length > 0 ? asked : Object.keys(PARTS);
if (names.some((name) => !Object.hasOwn(PARTS, name))) {
  console.error(`Usage: npm run test:mutants -- [${Object.keys(PARTS).join('|')} …] [--option of Stryker …]`);
  process.exit(2);
}

const failed = names.filter((name) => {
  console.log(`\n── ${name}`);
  const stryker = join(HERE, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  const { status } = spawnSync(
    process.execPath,
    [stryker, 'run', join(HERE, 'stryker.config.ts'), ...options],
    { cwd: join(HERE, '../..'), stdio: 'inherit', env: { ...process.env, MUTANTS_OF: name } },
  );
  return status !== 0;
});
if (failed.length > 0) console.log(`\nFailed, or too few noticed (see above): ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
