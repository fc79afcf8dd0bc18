import type { Command } from 'commander';
import { WrongUsage } from './failures.ts';

/**
 * npm swallows every option that comes before `--`, and runs the script with the rest: `digest` without its `--print`, say.
 * It leaves the options in the environment as `npm_config_…`.
 */
export function refuseOptionsTakenByNpm(program: Command, args: string[], env: NodeJS.ProcessEnv): void {
  if (env.npm_lifecycle_event !== 'desk') return;
  const command = program.commands.find((candidate) => candidate.name() === args[0]);
  const lost = command?.options.filter(({ long = '' }) => {
    const taken = env[`npm_config_${long.slice(2).replaceAll('-', '_')}`];
    // An option that's set in .npmrc, but typed after the dashes too, does reach the command.
    return taken && taken !== 'false' && !args.some((arg) => arg.split('=', 1)[0] === long);
  });
  if (!command || !lost?.length) return;
  const flags = lost.map((option) => option.flags).join(' ');
  throw new WrongUsage(
    `Nothing was done, since npm took ${lost.map(({ long }) => long).join(' and ')} for itself. Put two dashes before the command:\n\n` +
      `  npm run desk -- ${command.name()} ${command.usage().replace('[options]', flags)}\n`,
  );
}
