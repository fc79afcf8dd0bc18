import { FunctionRegion, FunctionsClient, FunctionsHttpError } from '@supabase/functions-js';
import { createClient } from '@supabase/supabase-js';
import { expect, onTestFinished, test } from 'vitest';
import { FUNCTION_NAME, FUNCTIONS_PATH } from '../../contract/contact-message.ts';
import { KEY, MESSAGE, openTestService } from '../../tests/support/service/open-test-service.ts';
import { listen } from './listen.ts';

/** As in older projects: header, claims with the anonymous role, signature. */
const LEGACY_KEY = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${Buffer.from('{"role":"anon"}').toString('base64url')}.c2ln`;

async function listeningService(env: Record<string, string> = {}) {
  const service = await openTestService(env);
  const listening = await listen(service.app.fetch, { host: 'localhost', port: 0 });
  onTestFinished(() => listening.close());
  return { ...service, port: listening.port, url: `http://localhost:${listening.port}` };
}

test.each([
  ['a publishable key', KEY, {}],
  ['a legacy key', LEGACY_KEY, {}],
  ['a publishable key and a region', KEY, { region: FunctionRegion.UsEast1 }],
  ['a legacy key and a region', LEGACY_KEY, { region: FunctionRegion.CaCentral1 }],
])('supabase-js sends a message with %s', async (_, key, options) => {
  const { url, store } = await listeningService({ VITE_SUPABASE_ANON_KEY: key });
  const { data, error } = await createClient(url, key).functions.invoke(FUNCTION_NAME, {
    body: MESSAGE,
    ...options,
  });
  expect({ data, error }).toEqual({ data: { ok: true, id: expect.any(String) }, error: null });
  expect((await store.counts()).waiting).toBe(1);
});

test('the client finds the sentence for the visitor in a refusal', async () => {
  const { url } = await listeningService();
  const client = new FunctionsClient(`${url}${FUNCTIONS_PATH}`, { headers: { apikey: KEY } });
  const { error } = await client.invoke(FUNCTION_NAME, { body: { ...MESSAGE, email: 'ana' } });
  expect(error).toBeInstanceOf(FunctionsHttpError);
  expect(await error.context.json()).toMatchObject({
    field: 'email',
    error: expect.stringMatching(/e-mail address/),
  });
});
