import { once } from 'node:events';

/** Over SSH or in a container, nobody would see what opens. */
export function hasDesktop(): boolean {
  if (process.env.SSH_CONNECTION || process.env.SSH_TTY) return false;
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY || process.env.WSL_DISTRO_NAME);
}

/** Some systems' openers run until the program exits. */
const HANDED_OVER_MS = 3_000;

/** Opens an address in its program: a browser or a mail program. False when the system has none. */
export async function openOnDesktop(address: string): Promise<boolean> {
  const { default: open } = await import('open');
  try {
    const opener = await open(address);
    // `open` detaches it, but its exit code says whether there's such a program.
    opener.ref();
    if (opener.exitCode !== null) return opener.exitCode === 0;
    const [code] = await once(opener, 'exit', { signal: AbortSignal.timeout(HANDED_OVER_MS) });
    return code === 0;
  } catch (error) {
    return error instanceof Error && error.name === 'AbortError';
  }
}
