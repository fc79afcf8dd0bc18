/** One path pattern in a `_headers` file and the headers below it. */
export type HeaderRule = { pattern: RegExp; headers: [name: string, value: string][] };

/**
 * Parses the format Netlify and Cloudflare Pages share, so our own server and a static host respond alike: a path at
 * the start of a line, `Name: value` lines below it, `*` for any characters.
 */
export function parseHeadersFile(text: string): HeaderRule[] {
  const rules: HeaderRule[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const rule = rules.at(-1);
    if (!/^\s/.test(line)) {
      rules.push({ pattern: toPattern(line.trim()), headers: [] });
      continue;
    }
    const [, name, value] = /^\s+([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (!rule || !name || value === undefined)
      throw new Error(`_headers has a line that is no header: ${line}`);
    rule.headers.push([name.toLowerCase(), value]);
  }
  return rules;
}

/** Every matching rule applies; a header set by several gets all their values. */
export function headersFor(rules: readonly HeaderRule[], path: string): Headers {
  const headers = new Headers();
  for (const rule of rules) {
    if (!rule.pattern.test(path)) continue;
    for (const [name, value] of rule.headers) headers.append(name, value);
  }
  return headers;
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.split('*').map(RegExp.escape).join('.*')}$`);
}
