import { openEdgeFunction } from '../../../server/edge.ts';

/** The part of the runtime that the function uses. */
declare const Deno: {
  env: { toObject(): Record<string, string> };
  serve(answer: (request: Request) => Response | Promise<Response>): unknown;
};
declare global {
  /** Supabase only; plain Deno doesn't have it. */
  var EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;
}

// Without it, as on plain Deno, the process itself stays alive for work that goes on after the answer.
const waitUntil = globalThis.EdgeRuntime?.waitUntil.bind(globalThis.EdgeRuntime);

const answer = await openEdgeFunction({
  env: Deno.env.toObject(),
  write: (line) => console.log(line.trimEnd()),
  inBackground: (work) => waitUntil?.(work),
});

Deno.serve(answer);
