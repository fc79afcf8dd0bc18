/** As much of the runtime as the function touches. */
declare const Deno: {
  env: { toObject(): Record<string, string> };
  serve(answer: (request: Request) => Response | Promise<Response>): unknown;
};

/** Supabase's own; plain Deno has none. */
declare var EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined;
