import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from './schema.ts';
import { PROJECT_ROOT, readEnvFile } from './settings.ts';

/** Settings that belong to other programs. */
const OF_OTHERS =
  /^(NODE_|NPM_|npm_|COMPOSE_|DOCKER_|POSTGRES_|PG[A-Z]+$|SUPABASE_|DENO_|AWS_|SMTP_(ADDRESS|PORT|USERNAME|PASSWORD)$|MAILER_FROM_ADDRESS$|TZ$|LANG$|LC_|NO_COLOR$|FORCE_COLOR$|[A-Za-z]+_(PROXY|proxy)$)/;

/** A sentence for each mistyped name in `.env`, which would otherwise silently do nothing. */
export function unknownSettings(root = PROJECT_ROOT): string[] {
  const { values } = readEnvFile(root);
  const known = Object.values(SETTINGS).map(({ name }) => name);
  const unknown = Object.keys(values)
    // On a broken line, the name may contain a password.
    .map((name) => /^\w+/.exec(name)?.[0] ?? 'A line')
    .filter((name) => !known.includes(name) && !OF_OTHERS.test(name))
    .map(
      (name) => `${name} in .env isn’t a setting, so it changes nothing. .env.example lists every setting.`,
    );
  // Windows' Notepad adds .txt, and Explorer hides it.
  const misnamed = '.env.txt isn’t read, so it changes nothing. Rename it to .env.';
  const isMisnamed = existsSync(join(root, '.env.txt'));
  return [...(isMisnamed ? [misnamed] : []), ...unknown];
}
