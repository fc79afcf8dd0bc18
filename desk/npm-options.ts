import type { Command } from 'commander';
import { WrongUsage } from './failures.ts';

/**
 * npm swallows every option before `--` and runs the script with the rest: `digest` without its `--print`, for
 * example. It passes the options on in the environment, as `npm_config_…`.
 */
export function refuseOptionsTakenByNpm(program: Command, args: string[], env: NodeJS.ProcessEnv): void {
  if (env.npm_lifecycle_event !== 'desk') return;
  const command = program.commands.find((candidate) => candidate.name() === args[0]);
  const lost = command?.options.filter(({ long = '' }) => {
    const taken = env[`npm_config_${long.slice(2).replaceAll('-', '_')}`];
    // An option set in .npmrc still reaches the command if it's also typed after the `--`.
    return taken && taken !== 'false' && !args.some((arg) => arg.split('=', 1)[0] === long);
  });
  if (!command || !lost?.length) return;
  const flags = lost.map((option) => option.flags).join(' ');
  throw new WrongUsage(
    `Nothing was done, since npm kept ${lost.map(({ long }) => long).join(' and ')} for itself. Put two dashes before the command:\n\n` +
      `  npm run desk -- ${command.name()} ${command.usage().replace('[options]', flags)}\n`,
  );
}
