import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFirefox } from '../../support/site/find-browser.ts';
import { acting, type Browser, converse, startProgram, tabOf } from './tab.ts';

type LogEntry = { level: string; text: string };
type Told = { result: { value: string }; exceptionDetails?: { text: string } };

/** The installed Firefox, without a window, by WebDriver BiDi, which it speaks without a driver. */
export async function launchFirefox(): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'));
  const options = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile];
  const firefox = await startProgram(findFirefox(), [...options, 'about:blank'], /BiDi listening on (\S+)/);
  const said: LogEntry[] = [];
  const send = await converse<LogEntry>(`${firefox.address}/session`, (entry) => said.push(entry));

  async function newTab(background: boolean) {
    const create = { type: 'tab', background };
    const { context } = await send<{ context: string }>('browsingContext.create', create);
    const tab = tabOf({
      resize: (width, height) =>
        send('browsingContext.setViewport', { context, viewport: { width, height } }),
      async open(url) {
        said.length = 0;
        await send('browsingContext.navigate', { context, url, wait: 'interactive' });
      },
      complaints: () => said.filter(({ level }) => level === 'error').map(({ text }) => text),
      ...acting((actions) => send('input.performActions', { context, actions })),
      async evaluate(expression) {
        const asked = { target: { context }, awaitPromise: true, expression };
        const { result, exceptionDetails } = await send<Told>('script.evaluate', asked);
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return result.value;
      },
    });
    return { ...tab, show: () => send('browsingContext.activate', { context }) };
  }

  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  return {
    tab: await newTab(false),
    newTabBehind: () => newTab(true),
    async close() {
      await firefox.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
