/** The part of the runtime the function uses. */
declare const Deno: {
  env: { toObject(): Record<string, string> };
  serve(answer: (request: Request) => Response | Promise<Response>): unknown;
};

/** Supabase only; plain Deno doesn't have it. */
declare var EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;
