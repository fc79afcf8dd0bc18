import { onTestFinished } from 'vitest';

export async function untilEnd<Started extends { close: () => Promise<unknown> }>(
  starting: Promise<Started>,
): Promise<Started> {
  const started = await starting;
  onTestFinished(async () => void (await started.close()));
  return started;
}
