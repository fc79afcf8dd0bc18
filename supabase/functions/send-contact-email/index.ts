import { openEdgeFunction } from '../../../server/edge-function.ts';

// Without it, as under plain Deno, work that goes on after the answer is kept alive by the process itself.
const waitUntil = globalThis.EdgeRuntime?.waitUntil.bind(globalThis.EdgeRuntime);

const answer = await openEdgeFunction({
  env: Deno.env.toObject(),
  write: (line) => console.log(line.trimEnd()),
  inBackground: (work) => waitUntil?.(work),
});

Deno.serve(answer);
