import { openEdgeFunction } from '../../../server/edge.ts';

// Without it, as on plain Deno, the process itself stays alive for work that goes on after the answer.
const waitUntil = globalThis.EdgeRuntime?.waitUntil.bind(globalThis.EdgeRuntime);

const answer = await openEdgeFunction({
  env: Deno.env.toObject(),
  write: (line) => console.log(line.trimEnd()),
  inBackground: (work) => waitUntil?.(work),
});

Deno.serve(answer);
