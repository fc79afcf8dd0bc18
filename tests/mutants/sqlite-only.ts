import { beforeEach } from 'vitest';

/**
 * Skips what runs on Postgres: tests that hold for both engines begin with SQLite, and find the same mutants there. And
 * the one that takes longest, which finds none that shorter ones don't.
 */
beforeEach(({ task, skip }) => skip(/postgres|of 5,000 submits/i.test(task.fullName)));
