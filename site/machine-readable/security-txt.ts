import { site } from '../content/site.ts';

/** RFC 9116 asks for less than a year, so that nobody writes to an address that is given up. */
const VALID_DAYS = 360;

/** Whom to tell of a weakness in the site, after RFC 9116. */
export function securityTxt({
  siteUrl,
  contactEmail,
  now,
}: {
  siteUrl: string | undefined;
  contactEmail: string;
  now: Date;
}): string {
  const expires = new Date(now);
  expires.setUTCDate(expires.getUTCDate() + VALID_DAYS);
  return [
    `Contact: mailto:${encodeURI(contactEmail)}`,
    `Expires: ${expires.toISOString().replace(/\.\d+/, '')}`,
    `Preferred-Languages: ${site.language.split('-')[0]}`,
    // A web address here must be one with https.
    ...(siteUrl?.startsWith('https:') ? [`Canonical: ${siteUrl}/.well-known/security.txt`] : []),
    '',
  ].join('\n');
}
