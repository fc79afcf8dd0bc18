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
  outbox: { mutate: ['outbox/*.ts', '!outbox/*.test.ts'], tests: ['outbox/*.test.ts'] },
  queue: {
    mutate: ['messages/{states,store,insert,short-id,message,table,store-error,group-commit}.ts'],
    tests: ['messages/{states,store,group-commit,erase}.test.ts'],
  },
  queries: {
    mutate: ['messages/{queries,figures,mailbox,last-done,look}.ts'],
    tests: ['messages/queries.test.ts'],
  },
  files: {
    mutate: ['messages/{sqlite,copy,erase,migrations,open,sync}.ts'],
    tests: ['messages/{sqlite,moved-file,copy,erase,upgrade,group-commit}.test.ts'],
  },
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
