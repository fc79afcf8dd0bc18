import { RFC_EMAIL_REGEX } from 'valibot';
import { pageName } from './layout.ts';

/**
 * Undefined for an address that the form wouldn't accept. Everything but letters, digits and dots is percent-encoded,
 * so that no address can add a second recipient.
 */
export function mailto(
  email: string,
  { subject, body }: { subject: string; body?: string },
): string | undefined {
  if (!RFC_EMAIL_REGEX.test(email)) return undefined;
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  // Browsers accept dots in places where mail needs quotes.
  const quoted = /^\.|\.\.|\.$/.test(local) ? `"${local}"` : local;
  // RFC 6068 requires CRLF.
  const text = body === undefined ? '' : `&body=${encode(body.replaceAll('\n', '\r\n'))}`;
  return `mailto:${encode(quoted)}@${encode(email.slice(at + 1))}?subject=${encode(subject)}${text}`;
}

/** Of an answer that isn't written with a mail program's own reply. */
export function replySubject(siteUrl: string | undefined): string {
  return siteUrl ? `Re: Your message on ${pageName(siteUrl)}` : 'Re: Your message';
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
