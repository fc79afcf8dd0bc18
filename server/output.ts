import { Buffer } from 'node:buffer';
import { write, writeSync } from 'node:fs';

/** How much may wait while nothing can be written, in characters. Beyond it, texts are counted and dropped. */
const MOST_WAITING = 2 ** 20;
/** One write for many lines: one per line would take longer than sending the page. */
const BUFFER = 8 * 1024;
const BUFFER_MS = 1_000;
const RETRY_MS = 100;
const END_MS = 1_000;

/**
 * Writes to a file that may be full, closed or without a reader, and never throws or blocks. Texts keep their order.
 * Once there's room again, `onLost` is told how many were dropped.
 */
export function openOutput(fd: number, onLost: (count: number) => void) {
  let inHand: Buffer = Buffer.alloc(0);
  let waiting = '';
  let lost = 0;
  let isWriting = false;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let onIdle = () => {};

  function add(text: string): void {
    if (waiting.length + text.length > MOST_WAITING) lost += 1;
    else waiting += text;
  }

  function writeOn(): void {
    if (isWriting) return;
    clearTimeout(timer);
    timer = undefined;
    isWriting = true;
    if (inHand.length === 0) takeWaiting();
    if (inHand.length === 0) {
      isWriting = false;
      onIdle();
      return;
    }
    write(fd, inHand, (error, written) => {
      isWriting = false;
      isFailing = error !== null;
      // Retries whatever the reason: a disk may get room, a pipe a reader, and trying costs next to nothing.
      if (error) timer = setTimeout(writeOn, RETRY_MS).unref();
      else {
        inHand = inHand.subarray(written);
        writeOn();
      }
    });
  }

  function takeWaiting(): void {
    inHand = Buffer.from(waiting);
    waiting = '';
    const count = lost;
    lost = 0;
    // What it writes comes right after the lines before the gap.
    if (count > 0) onLost(count);
  }

  return {
    write(text: string): void {
      add(text);
      if (!isFailing) writeOn();
    },
    /** May wait up to a second, to be written along with others. */
    writeLater(text: string): void {
      add(text);
      if (waiting.length >= BUFFER && !isFailing) writeOn();
      else timer ??= setTimeout(writeOn, BUFFER_MS).unref();
    },
    /** For the very end of the process, when nothing can be awaited. */
    writeNow(): void {
      if (isWriting) return;
      try {
        writeSync(fd, Buffer.concat([inHand, Buffer.from(waiting)]));
      } catch {
        // There's no one left to tell.
      }
    },
    /** Resolves once everything is written, or after a second without room for it. */
    end(): Promise<void> {
      return new Promise((resolve) => {
        const giveUp = setTimeout(resolve, END_MS);
        onIdle = () => {
          clearTimeout(giveUp);
          resolve();
        };
        writeOn();
      });
    },
  };
}
