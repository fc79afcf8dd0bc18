import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/vite.ts';
import { headersFor, parseHeadersFile } from '../server/headers-file.ts';
import { row } from './table.ts';

type Outcome = { result: string | null; pass: boolean };

/**
 * Mozilla's rules on our headers and page: its own scanner wants a public host, its judges do not.
 *
 * @param headersFile what the build says of headers
 */
export async function observatory(html: string, headersFile: string): Promise<void> {
  const at = (path: string) => join(ROOT, 'bench/node_modules/@mdn/mdn-http-observatory', path);
  // Its list of hosts that browsers know to be https, which its install script would fetch: none of ours.
  mkdirSync(at('conf'), { recursive: true });
  writeFileSync(at('conf/hsts-preload.json'), '{}');
  const { ALL_TESTS } = (await import(at('src/constants.js'))) as {
    ALL_TESTS: ((requests: object) => Outcome)[];
  };
  const { getScoreModifier, getGradeForScore } = (await import(at('src/grader/grader.js'))) as {
    getScoreModifier: (expectation: string) => number;
    getGradeForScore: (score: number) => { grade: string };
  };
  const { Requests } = (await import(at('src/types.js'))) as { Requests: new (host: string) => object };

  const headers = Object.fromEntries(headersFor(parseHeadersFile(headersFile), '/'));
  headers['content-type'] = 'text/html; charset=utf-8';
  const url = new URL('https://site.test/');
  const answer = {
    status: 200,
    headers: withGet(headers),
    verified: true,
    data: html,
    request: { responseURL: url.href },
  };
  const requests = Object.assign(new Requests('site.test'), {
    responses: {
      auto: answer,
      https: answer,
      http: { ...answer, headers: withGet({ location: url.href }) },
      cors: answer,
      httpRedirects: [
        { url: new URL('http://site.test/'), status: 301 },
        { url, status: 200 },
      ],
      httpsRedirects: [{ url, status: 200 }],
    },
    resources: { path: html },
    session: { url },
  });
  const details = ALL_TESTS.map((test) => {
    const { result, pass } = test(requests);
    return { name: test.name, result, pass, points: result ? getScoreModifier(result) : 0 };
  });
  const score = details.reduce((total, { points }) => total + points, 100);
  const missed = details.filter(({ name, points }) => points === 0 && /hsts|strictTrans|cookies/i.test(name));
  row(
    'HTTP Observatory',
    `${score} (${getGradeForScore(score).grade}; wanted: at least 145), nothing for ${missed.map(({ result }) => result).join(', ')}`,
    { score, details },
  );
}

/** The Observatory reads headers as axios gives them: by field and by `get`. */
function withGet(headers: Record<string, string>): object {
  return Object.assign(
    Object.create({ get: (name: string) => headers[name.toLowerCase()] ?? null }),
    headers,
  );
}
