import type { Command, Option } from 'commander';
import { WrongUsage } from './failures.ts';

/**
 * npm takes every option for itself that no `--` stands before. The script gets what's left, and would do something
 * else than was asked for; the options are in the environment as `npm_config_…`.
 *
 * @throws {WrongUsage} with the command as it must be typed
 */
export function refuseOptionsTakenByNpm(program: Command, args: string[], env: NodeJS.ProcessEnv): void {
  if (env.npm_lifecycle_event !== 'desk') return;
  const command = program.commands.find((candidate) => candidate.name() === args[0]);
  const taken = (command?.options ?? []).filter(({ long }) => long && takenValue(long, env));
  // Typed behind the dashes as well, or set in .npmrc: then the command has it.
  const lost = taken.filter(({ long }) => !args.some((arg) => arg.split('=', 1)[0] === long));
  if (!command || lost.length === 0) return;
  const names = lost.map(({ long }) => long);
  throw new WrongUsage(
    `Nothing was done, since npm took ${names.join(' and ')} for itself. Put two dashes before the options:\n\n` +
      `  npm run desk -- ${[command.name(), ...spell(lost, args.slice(1), env)].join(' ')}\n`,
  );
}

/** What npm remembers of an option; of one that it doesn't know, that it was there, unless its value came after a `=`. */
function takenValue(long: string, env: NodeJS.ProcessEnv): string | undefined {
  const value = env[`npm_config_${long.slice(2).replaceAll('-', '_')}`];
  return value === 'false' ? undefined : value;
}

/** The words and options in their right places, as far as can be known. */
function spell(lost: Option[], args: string[], env: NodeJS.ProcessEnv): string[] {
  const words = [...args];
  // Those that are picky about their value choose first among the words that npm left.
  const choosing = lost.toSorted((one, other) => Number(!one.parseArg) - Number(!other.parseArg));
  const options = choosing.flatMap((option) => {
    const { long = '', flags } = option;
    if (option.isBoolean()) return [long];
    const known = takenValue(long, env);
    const place = words.findIndex((word) => accepts(option, word));
    const value = known !== undefined && known !== 'true' ? known : words.splice(place, place < 0 ? 0 : 1)[0];
    return value === undefined ? [flags] : [long, quoted(value)];
  });
  return [...words.map(quoted), ...options];
}

function accepts({ parseArg }: Option, word: string): boolean {
  if (word.startsWith('-')) return false;
  try {
    parseArg?.(word, undefined);
    return true;
  } catch {
    return false;
  }
}

function quoted(word: string): string {
  // It may hold a password.
  if (word.includes('://')) return '<address>';
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
