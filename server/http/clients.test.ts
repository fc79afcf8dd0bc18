import { createClient, FunctionRegion, FunctionsHttpError } from '@supabase/supabase-js';
import { expect, test } from 'vitest';
import { FUNCTION_NAME } from '../../contract/contact-message.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { KEY, MESSAGE, openTestService } from '../../tests/support/service/open-test-service.ts';
import { listen } from './listen.ts';

/** As in older projects: header, claims with the anonymous role, signature. */
const LEGACY_KEY = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${Buffer.from('{"role":"anon"}').toString('base64url')}.c2ln`;

test.each([
  ['a publishable key', KEY],
  ['a legacy key', LEGACY_KEY],
])(
  'supabase-js sends a message with %s, and finds the sentence for the visitor in a refusal',
  async (_, key) => {
    const { app, store } = await openTestService({ VITE_SUPABASE_ANON_KEY: key });
    const { port } = await untilEnd(listen(app.fetch, { host: 'localhost', port: 0 }));
    const { functions } = createClient(`http://localhost:${port}`, key);
    for (const options of [{}, { region: FunctionRegion.UsEast1 }]) {
      const { data, error } = await functions.invoke(FUNCTION_NAME, { body: MESSAGE, ...options });
      expect({ data, error }).toEqual({ data: { ok: true, id: expect.any(String) }, error: null });
    }
    expect((await store.counts()).waiting).toBe(1);
    const { error } = await functions.invoke(FUNCTION_NAME, { body: { ...MESSAGE, email: 'ana' } });
    expect(error).toBeInstanceOf(FunctionsHttpError);
    expect(await error.context.json()).toMatchObject({
      field: 'email',
      error: expect.stringMatching(/e-mail address/),
    });
  },
);
