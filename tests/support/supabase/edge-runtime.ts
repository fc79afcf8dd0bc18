// Run by Deno: the function as Supabase's runtime runs it, behind its gateway. The runtime does the listening, at
// SUPABASE_URL here, and keeps an instance alive for work that continues after the answer.
export {};

type Answer = (request: Request) => Response | Promise<Response>;
type Client = { remoteAddr: { hostname: string } };
type Options = { hostname: string; port: number; onListen: () => void };
type Serve = (options: Options, answer: (request: Request, client: Client) => unknown) => unknown;

declare const Deno: { env: { toObject(): Record<string, string> }; serve: Serve };

const { serve } = Deno;
const { hostname, port } = new URL(Deno.env.toObject().SUPABASE_URL ?? '');

/** Without the prefix before the function's name, and with the client's address. */
function throughGateway(request: Request, { remoteAddr }: Client): Request {
  const onward = new Request(request.url.replace(/^.*\/functions\/v1\//, 'http://edge-runtime/'), request);
  onward.headers.append('x-forwarded-for', remoteAddr.hostname);
  onward.headers.set('host', 'edge-runtime');
  return onward;
}

Object.assign(Deno, {
  serve: (answer: Answer) =>
    serve({ hostname, port: Number(port), onListen: () => console.log('listening') }, (request, client) =>
      answer(throughGateway(request, client)),
    ),
});
Object.assign(globalThis, {
  EdgeRuntime: {
    async waitUntil(work: Promise<unknown>): Promise<void> {
      await work;
      console.log('work after the answer is done');
    },
  },
});

// Postgres has a second to count a client or weigh a message, and a machine busy with other tests may need longer.
const { setTimeout: wait } = globalThis;
globalThis.setTimeout = ((work: () => void, ms = 0) =>
  wait(work, ms === 1_000 ? 60_000 : ms)) as typeof setTimeout;

// Supabase's Deno doesn't have it either.
Reflect.deleteProperty(globalThis, 'Temporal');

await import('../../../supabase/functions/send-contact-email/index.ts');
