import { expect, test } from 'vitest';
import { openTestService } from '../../tests/support/service/open-test-service.ts';

test('besides the files of the page, the public server answers these paths and no others', async () => {
  const { app } = await openTestService();
  const paths = app.routes.map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(paths)].toSorted()).toEqual([
    // What can't be read is refused; what's left is a file of the page, or 404.
    'ALL /*',
    // Each call's headers and log line.
    'ALL /functions/v1/*',
    'ALL /functions/v1/send-contact-email',
    'GET /healthz',
    'GET /readyz',
    // What ONCE asks; the same as /healthz.
    'GET /up',
    'OPTIONS /functions/v1/*',
  ]);
  for (const path of ['/enter/x', '/messages/0', '/doctor', '/export/csv', '/erase', '/admin'])
    expect((await app.request(path)).status, path).toBe(404);
});
