/** Renewal by machine is usually done a month ahead; what is left later than this was forgotten. */
const SOON_DAYS = 14;

const FAULTS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'shows a certificate that has expired.',
  CERT_NOT_YET_VALID: 'shows a certificate that is not valid yet; is this machine’s clock right?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows a certificate for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'shows a certificate that it has signed itself.',
  SELF_SIGNED_CERT_IN_CHAIN: 'shows a certificate from an authority that this machine does not know.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'shows a certificate from an authority that this machine does not know.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'shows a certificate without the ones that vouch for it.',
  CERT_REVOKED: 'shows a certificate that was revoked.',
};

/** The rest of a sentence that begins with the host; undefined when the error is about something else. */
export function certificateFault(code: string): string | undefined {
  return FAULTS[code];
}

/** @param validTo as a certificate writes it */
export function certificateLife(validTo: string, now: number): { soon: boolean; text: string } {
  const days = Math.floor((Date.parse(validTo) - now) / 86_400_000);
  if (days < 0) return { soon: true, text: 'has expired' };
  const left = days === 1 ? '1 more day' : `${days} more days`;
  return { soon: days < SOON_DAYS, text: `is valid for ${left}` };
}
