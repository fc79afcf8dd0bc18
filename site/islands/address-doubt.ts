/** So big that a domain one letter off is most likely a typo. Shorter names have real neighbours. */
const PROVIDERS =
  'gmail.com hotmail.com outlook.com yahoo.com icloud.com googlemail.com protonmail.com yahoo.ca hotmail.ca videotron.ca sympatico.ca hotmail.fr outlook.fr yahoo.fr'.split(
    ' ',
  );

/** Endings that no domain has, and what was meant. */
const SLIPS: Readonly<Record<string, string>> = {
  com: 'con|cmo|ocm|vom|xom|cpm|cim|comm|coom',
  net: 'nte|ent|ner|nett',
  org: 'ogr|rog|orgg',
};

/** What the domain was most likely meant to be, if it can't exist or is one typo away from a well-known one. */
export function likelyDomain(email: string): string | undefined {
  const domain = email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();
  const dot = domain.lastIndexOf('.');
  if (dot < 0) {
    const isMeant = (to: string) => isOneSlip(domain, to) || isOneSlip(domain, to.replace(/\..*/, ''));
    return PROVIDERS.find(isMeant);
  }
  const end = domain.slice(dot + 1);
  const [rightEnd = end] = Object.entries(SLIPS).find(([, slips]) => slips.split('|').includes(end)) ?? [];
  const repaired = domain.slice(0, dot + 1) + rightEnd;
  // Only with the same ending, since gmail.co and hotmail.cr may exist.
  const better = PROVIDERS.find((to) => to.endsWith(`.${rightEnd}`) && isOneSlip(repaired, to)) ?? repaired;
  return better === domain ? undefined : better;
}

/** Whether at most one letter is missing, extra, wrong or swapped with the next; the first has to be right. */
function isOneSlip(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const [x, y] = [a.slice(same), b.slice(same)];
  const isSwapped = x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2);
  return same > 0 && (x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1) || isSwapped);
}
