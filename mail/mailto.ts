import { RFC_EMAIL_REGEX } from 'valibot';

/**
 * The address of a new mail; undefined for an address that did not pass the form's check. All but letters,
 * digits and dots is percent-encoded, so that nothing in an address can add a second recipient.
 */
export function mailto(
  email: string,
  { subject, body }: { subject: string; body?: string },
): string | undefined {
  if (!RFC_EMAIL_REGEX.test(email)) return undefined;
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  // Browsers accept dots in places where mail needs quotes around.
  const quoted = /^\.|\.\.|\.$/.test(local) ? `"${local}"` : local;
  // RFC 6068 asks for CRLF.
  const text = body === undefined ? '' : `&body=${encode(body.replaceAll('\n', '\r\n'))}`;
  return `mailto:${encode(quoted)}@${encode(email.slice(at + 1))}?subject=${encode(subject)}${text}`;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
