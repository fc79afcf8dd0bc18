type Part = {
  mutate: string[];
  tests: string[];
  /** Also on Postgres, whose tests take longest. */
  withPostgres?: true;
  /** Also what runs once, while a file is loaded. Each such mutant takes all tests of its part. */
  withStatic?: true;
  /** Longer than any of its tests takes, for a part in which many mutants hang. */
  hangMs?: number;
};

/** What's mutated, and by which tests. docs/decisions/0098-mutants-by-parts.md says how they were chosen. */
export const PARTS: Record<string, Part> = {
  faults: { mutate: ['mail/faults.ts'], tests: ['mail/fault-words.test.ts'], withStatic: true },
  fields: {
    mutate: ['messages/fields.ts', 'contract/contact.ts'],
    tests: ['messages/fields.test.ts'],
    withStatic: true,
  },
  limits: {
    mutate: ['server/rate-limits.ts'],
    tests: ['server/{own,shared}-limits.test.ts'],
    withPostgres: true,
  },
  outbox: {
    mutate: ['outbox/{outbox,sending,slots,pause,budget}.ts'],
    tests: ['outbox/outbox.test.ts'],
  },
  queue: {
    mutate: ['messages/{claims,states,store,insert,short-id,message,table,store-error}.ts'],
    tests: ['messages/{rows,queries,states,store}.test.ts'],
  },
  copies: { mutate: ['messages/copy.ts'], tests: ['messages/copy.test.ts'] },
  queries: {
    mutate: ['messages/{queries,figures,mail-places,last-done}.ts'],
    tests: ['messages/queries.test.ts'],
  },
  commits: { mutate: ['messages/group-commit.ts'], tests: ['messages/group-commit.test.ts'] },
  spam: {
    mutate: ['messages/{known-spam,suspicion}.ts'],
    tests: ['messages/{known-spam,suspicion}.test.ts'],
  },
  erasing: { mutate: ['messages/erase.ts'], tests: ['messages/erase.test.ts'], withPostgres: true },
  files: {
    mutate: ['messages/{sqlite,migrations,open,sync}.ts'],
    tests: ['messages/{sqlite,moved-file,migrations}.test.ts'],
  },
  look: { mutate: ['messages/look.ts'], tests: ['desk/doctor/check-database.test.ts'], withPostgres: true },
  postgres: {
    mutate: ['messages/postgres*.ts', '!messages/*.test.ts'],
    tests: ['messages/postgres.test.ts'],
    withPostgres: true,
    hangMs: 4_000,
  },
  trouble: { mutate: ['outbox/{trouble,alerts,outage}.ts'], tests: ['outbox/trouble.test.ts'] },
  jobs: {
    mutate: ['outbox/{schedule,jobs,reminders}.ts'],
    tests: ['outbox/{schedule,jobs,reminders}.test.ts'],
  },
};
