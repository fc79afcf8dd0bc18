/**
 * Run by Deno: the function as Supabase's runtime runs it. The runtime does the listening, and keeps an instance alive
 * for work that continues after the answer.
 */
export {};

type Answer = (request: Request) => Response | Promise<Response>;
type Options = { hostname: string; port: number; onListen: (listening: { port: number }) => void };

const serve = Deno.serve as unknown as (options: Options, answer: Answer) => unknown;
const options: Options = {
  hostname: '127.0.0.1',
  port: 0,
  onListen: ({ port }) => console.log(`port ${port}`),
};
Object.assign(Deno, { serve: (answer: Answer) => serve(options, answer) });
Object.assign(globalThis, {
  EdgeRuntime: {
    async waitUntil(work: Promise<unknown>): Promise<void> {
      await work;
      console.log('work after the answer is done');
    },
  },
});

// Postgres has a second to count a client or weigh a message, which a machine that's busy with other tests may take.
const { setTimeout: wait } = globalThis;
globalThis.setTimeout = ((work: () => void, ms = 0) =>
  wait(work, ms === 1_000 ? 60_000 : ms)) as typeof setTimeout;

// Supabase's Deno doesn't have it either.
Reflect.deleteProperty(globalThis, 'Temporal');

await import('../../../supabase/functions/send-contact-email/index.ts');
