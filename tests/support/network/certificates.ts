import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';

/** A certificate for 127.0.0.1 that this process trusts until the test ends, unless `trusted` is false. */
export async function certificate({ trusted = true } = {}) {
  const notBeforeDate = new Date(Date.now() - 86_400_000);
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate,
    extensions: [
      // Deno refuses a CA's own certificate from a server.
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  if (trusted) {
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, cert]);
    onTestFinished(() => setDefaultCACertificates(before));
  }
  return { key, cert };
}
