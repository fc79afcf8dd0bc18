type Part = {
  mutate: string[];
  tests: string[];
  /** Also on Postgres, whose tests take longest. */
  withPostgres?: true;
};

/** What's mutated, and by which tests. */
export const PARTS: Record<string, Part> = {
  faults: { mutate: ['mail/faults.ts'], tests: ['mail/faults.test.ts'] },
  fields: { mutate: ['messages/fields.ts', 'contract/contact.ts'], tests: ['messages/fields.test.ts'] },
  limits: {
    mutate: ['server/rate-limits.ts'],
    tests: ['server/{rate,shared}-limits.test.ts'],
    withPostgres: true,
  },
  outbox: { mutate: ['outbox/outbox.ts'], tests: ['outbox/timing.test.ts'] },
  jobs: {
    mutate: ['outbox/{schedule,jobs,reminders}.ts'],
    tests: ['outbox/{schedule,jobs,reminders}.test.ts'],
  },
  trouble: { mutate: ['outbox/trouble.ts'], tests: ['outbox/trouble.test.ts'] },
  queue: {
    mutate: ['messages/{states,store,insert,short-id,message,table,store-error}.ts'],
    tests: ['messages/{states,store}.test.ts'],
  },
  commits: { mutate: ['messages/group-commit.ts'], tests: ['messages/group-commit.test.ts'] },
  queries: {
    mutate: ['messages/{queries,figures,mailbox,last-done,look}.ts'],
    tests: ['messages/queries.test.ts'],
  },
  files: {
    mutate: ['messages/{sqlite,migrations,open,sync}.ts'],
    tests: ['messages/{sqlite,moved-file,upgrade}.test.ts'],
  },
  copies: { mutate: ['messages/copy.ts'], tests: ['messages/copy.test.ts'] },
  erasing: { mutate: ['messages/erase.ts'], tests: ['messages/erase.test.ts'] },
  postgres: {
    mutate: ['messages/postgres*.ts', '!messages/*.test.ts'],
    tests: ['messages/postgres.test.ts'],
    withPostgres: true,
  },
  spam: {
    mutate: ['messages/{learner,suspicion}.ts'],
    tests: ['messages/{learner,suspicion}.test.ts'],
  },
};
