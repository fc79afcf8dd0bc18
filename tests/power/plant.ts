import { registerHooks } from 'node:module';

/** Loaded before a program, to give it a fault that its sources don't have. */
export type Planted = { file: string; change: [from: string, to: string][] };

const { file, change } = JSON.parse(process.env.TEST_PLANTED ?? '') as Planted;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/${file}`)) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString();
    for (const [from, to] of change) {
      if (!source.includes(from)) throw new Error(`${file} doesn't say: ${from}`);
      source = source.replace(from, to);
    }
    return { ...loaded, source };
  },
});
