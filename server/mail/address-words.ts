import { addressDoubt } from '../../contract/address-doubt.ts';

/** For the owner, if an answer to this address may not arrive: a sentence. */
export function doubtWords(email: string): string | undefined {
  const doubt = addressDoubt(email);
  if (!doubt) return undefined;
  const { domain, better } = doubt;
  const why = better ? `perhaps ${better} was meant` : 'no mail gets there';
  return `Your answer may not arrive: the address ends in ${domain}, and ${why}.`;
}
