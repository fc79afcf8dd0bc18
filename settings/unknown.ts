import { closestMatch } from 'leven';
import { SETTING_NAMES as known, PROJECT_ROOT, readEnvFile } from './settings.ts';

/** Settings that belong to other programs. */
const OF_OTHERS =
  /^(NODE_|NPM_|npm_|COMPOSE_|DOCKER_|POSTGRES_|PG[A-Z]+$|SUPABASE_|DENO_|AWS_|LITESTREAM_|TZ$|LANG$|LC_|NO_COLOR$|FORCE_COLOR$|[A-Za-z]+_(PROXY|proxy)$)/;

/**
 * A sentence for each mistyped name, which would otherwise silently do nothing. The environment is full of other
 * programs' names, so there only swapped letters count.
 */
export function unknownSettings(root = PROJECT_ROOT, environment: NodeJS.ProcessEnv = process.env): string[] {
  const { text, values } = readEnvFile(root);
  const inFile = Object.keys(values)
    // On a broken line, the name may contain a password.
    .map((name) => /^\w+/.exec(name)?.[0] ?? 'A line')
    .filter((name) => !known.includes(name) && !OF_OTHERS.test(name))
    .map((name) => {
      const maxDistance = 1 + Math.floor(name.length / 4);
      return tell(name, '.env', closestMatch(name.toUpperCase(), known, { maxDistance }));
    });
  const withoutValue = known
    .filter((name) => !(name in values))
    .filter((name) => new RegExp(`^\\s*(export\\s+)?${name}(?=[\\s:]|$)`, 'm').test(text))
    .map((name) => `${name} in .env has no = after its name, so it changes nothing.`);
  const inEnvironment = Object.keys(environment)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((setting) => lettersOf(setting) === lettersOf(name));
      return meant ? [tell(name, 'the environment', meant)] : [];
    });
  return [...inFile, ...withoutValue, ...inEnvironment];
}

function tell(name: string, place: string, meant: string | undefined): string {
  const hint = meant ? `Did you mean ${meant}?` : '.env.example lists every setting.';
  return `${name} in ${place} isn’t a setting, so it changes nothing. ${hint}`;
}

function lettersOf(name: string): string {
  return [...name].sort().join('');
}
