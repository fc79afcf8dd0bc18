import { beforeEach } from 'vitest';

/** Skips what runs on Postgres: tests that hold for both engines begin with SQLite, and find the same mutants there. */
beforeEach(({ task, skip }) => skip(/postgres/i.test(task.fullName)));
