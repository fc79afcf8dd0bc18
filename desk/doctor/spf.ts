import type { Lookup } from './dns.ts';

/** More are a lasting error for every receiver (RFC 7208, 4.6.4), and no mail passes. */
const LOOKUP_LIMIT = 10;

const QUALIFIERS = /^[+\-~?]/;
/** What may stand in a record, and whether a receiver has to ask the DNS for it. */
const MECHANISMS: Record<string, { asks: boolean }> = {
  all: { asks: false },
  ip4: { asks: false },
  ip6: { asks: false },
  a: { asks: true },
  mx: { asks: true },
  ptr: { asks: true },
  include: { asks: true },
  exists: { asks: true },
};

export type Spf =
  | { state: 'missing' | 'several' }
  /** `fault` is a whole sentence. */
  | { state: 'broken'; fault: string }
  | { state: 'valid'; lookups: number; all: string | undefined };

/** Reads the record of a domain as a receiver does, with all that it includes. */
export async function readSpf(domain: string, lookup: Lookup): Promise<Spf> {
  const records = spfRecords(await lookup.txt(domain));
  const [record] = records;
  if (record === undefined) return { state: 'missing' };
  if (records.length > 1) return { state: 'several' };
  try {
    const lookups = await countLookups(domain, record, lookup, []);
    if (lookups > LOOKUP_LIMIT) {
      const fault = `It makes receivers ask the DNS more than ${LOOKUP_LIMIT} times, and then they give up.`;
      return { state: 'broken', fault };
    }
    return { state: 'valid', lookups, all: await finalAll(record, lookup) };
  } catch (error) {
    if (error instanceof SpfFault) return { state: 'broken', fault: error.message };
    throw error;
  }
}

class SpfFault extends Error {}

function spfRecords(texts: string[] | undefined): string[] {
  return (texts ?? []).filter((text) => /^v=spf1( |$)/i.test(text));
}

const terms = (record: string): string[] => record.split(/ +/).slice(1).filter(Boolean);

async function countLookups(
  domain: string,
  record: string,
  lookup: Lookup,
  within: readonly string[],
): Promise<number> {
  const path = [...within, domain.toLowerCase()];
  let count = 0;
  const parsed = terms(record).map(parse);
  const all = parsed.findIndex(({ name }) => name === 'all');
  // Nothing is asked after `all`, which matches everything, nor is there anything to redirect.
  for (const { name, target } of all < 0
    ? parsed
    : parsed.slice(0, all).filter((term) => term.name !== 'redirect')) {
    if (name === 'include' || name === 'redirect') {
      count += 1;
      // The part behind a macro differs from mail to mail and cannot be followed from here.
      if (target && !target.includes('%')) count += await below(target, lookup, path);
    } else if (MECHANISMS[name]?.asks) count += 1;
    // What is beyond the limit no receiver reads either; and a ring of includes has no end.
    if (count > LOOKUP_LIMIT) return count;
  }
  return count;
}

async function below(target: string, lookup: Lookup, path: readonly string[]): Promise<number> {
  if (path.includes(target.toLowerCase())) throw new SpfFault(`It includes ${target} in a ring.`);
  const records = spfRecords(await lookup.txt(target));
  const [record] = records;
  if (record === undefined) throw new SpfFault(`It includes ${target}, which has no SPF record.`);
  if (records.length > 1) throw new SpfFault(`It includes ${target}, which has several SPF records.`);
  return countLookups(target, record, lookup, path);
}

/** @throws SpfFault for what makes receivers drop the whole record */
function parse(term: string): { name: string; target: string | undefined } {
  const modifier = /^([a-z][\w.-]*)=(.*)$/i.exec(term);
  if (modifier) return { name: (modifier[1] ?? '').toLowerCase(), target: modifier[2] };
  const [, name = '', rest = ''] = /^([^:/]*)(.*)$/.exec(term.replace(QUALIFIERS, '')) ?? [];
  const mechanism = name.toLowerCase();
  const target = /^:([^/]+)/.exec(rest)?.[1];
  const known = Object.hasOwn(MECHANISMS, mechanism);
  const needsTarget = /^(include|exists)$/.test(mechanism);
  const needsAddress = /^ip[46]$/.test(mechanism);
  if (!known || (needsTarget && !target) || (needsAddress && !/^:[\da-f.:]+(\/\d+)?$/i.test(rest)))
    throw new SpfFault(`Receivers cannot read “${term}” in it.`);
  return { name: mechanism, target };
}

/** What is said of all other senders: the qualifier before `all`, followed through `redirect`. */
async function finalAll(record: string, lookup: Lookup): Promise<string | undefined> {
  const all = terms(record).find((term) => /^[+\-~?]?all$/i.test(term));
  if (all) return QUALIFIERS.exec(all)?.[0] ?? '+';
  const target = terms(record)
    .map((term) => /^redirect=(.+)$/i.exec(term)?.[1])
    .find(Boolean);
  const [next] = target ? spfRecords(await lookup.txt(target)) : [];
  // Rings have been refused before.
  return next === undefined ? undefined : finalAll(next, lookup);
}
