import { onTestFinished } from 'vitest';

export async function untilEnd<Started extends { close: () => unknown }>(
  starting: Started | Promise<Started>,
): Promise<Started> {
  const started = await starting;
  onTestFinished(async () => void (await started.close()));
  return started;
}
