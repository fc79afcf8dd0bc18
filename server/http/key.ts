import { createHash, timingSafeEqual } from 'node:crypto';

/** The Supabase gateway's own wording, which its clients know. */
export const KEY_FAULTS = {
  missing: { code: 'UNAUTHORIZED_NO_AUTH_HEADER', message: 'Missing authorization header' },
  wrong: { code: 'UNAUTHORIZED_INVALID_JWT_FORMAT', message: 'Invalid JWT' },
} as const;

/**
 * Clients send the key as `apikey`, as a Bearer token, or both, depending on their age and the kind of key. With a
 * signed-in user, a client sends that user's token alongside a valid `apikey`.
 */
export function checkKey(headers: Headers, keys: readonly string[]): keyof typeof KEY_FAULTS | undefined {
  const bearer = bearerOf(headers);
  const sent = [headers.get('apikey'), bearer].filter((value) => value != null && value !== '');
  if (sent.some((value) => keys.some((key) => sameText(value ?? '', key)))) return undefined;
  return sent.length > 0 || headers.has('authorization') ? 'wrong' : 'missing';
}

export function bearerOf(headers: Headers): string | undefined {
  return /^Bearer\s+(.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

/** Takes the same time wherever the difference is; hashing makes the lengths equal. */
export function sameText(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
