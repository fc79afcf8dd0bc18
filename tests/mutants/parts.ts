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
  faults: { mutate: ['server/mail/faults.ts'], tests: ['server/mail/fault-words.test.ts'], withStatic: true },
  fields: {
    mutate: ['server/messages/fields.ts', 'contract/contact-message.ts'],
    tests: ['server/messages/fields.test.ts'],
    withStatic: true,
  },
  limits: {
    mutate: ['server/http/rate-limits.ts'],
    tests: ['server/http/{own,shared}-limits.test.ts'],
    withPostgres: true,
  },
  outbox: {
    mutate: ['server/outbox/{outbox,sending,slots,pause}.ts'],
    tests: ['server/outbox/{outbox,outbox-loop}.test.ts'],
  },
  queue: {
    mutate: ['server/messages/{claims,states,store,insert,message,table,store-error}.ts'],
    tests: ['server/messages/{rows,queries,counts,states,store}.test.ts'],
  },
  copies: { mutate: ['server/messages/copy.ts'], tests: ['server/messages/copy.test.ts'] },
  queries: {
    mutate: ['server/messages/{queries,counts,unanswered,last-done}.ts'],
    tests: ['server/messages/{queries,counts}.test.ts'],
  },
  commits: {
    mutate: ['server/messages/sqlite/group-commit.ts'],
    tests: ['server/messages/sqlite/group-commit.test.ts'],
  },
  spam: {
    mutate: ['server/messages/{known-spam,suspicion}.ts'],
    tests: ['server/messages/{known-spam,suspicion}.test.ts'],
  },
  erasing: {
    mutate: ['server/messages/erase.ts'],
    tests: ['server/messages/{erase,erase-mails}.test.ts'],
    withPostgres: true,
  },
  files: {
    mutate: ['server/messages/{sqlite/sqlite,migrations,open,sync}.ts'],
    tests: ['server/messages/{sqlite/sqlite,sqlite/moved-file,migrations}.test.ts'],
  },
  look: {
    mutate: ['server/messages/look.ts'],
    tests: ['desk/doctor/check-database.test.ts'],
    withPostgres: true,
  },
  postgres: {
    mutate: ['server/messages/postgres/*.ts', '!server/messages/postgres/*.test.ts'],
    tests: ['server/messages/postgres/*.test.ts'],
    withPostgres: true,
    hangMs: 4_000,
  },
  trouble: {
    mutate: ['server/outbox/{trouble,alerts,outage}.ts'],
    tests: ['server/outbox/{trouble,alerts}.test.ts'],
  },
  jobs: {
    mutate: ['server/outbox/{schedule,jobs,reminders}.ts'],
    tests: ['server/outbox/{schedule,jobs,reminders}.test.ts'],
  },
};
