import { expect, test } from 'vitest';
import { stampOf } from './receipt.tsx';

const A_DAY = 'Received Tue 10:40\nreply by Wed 10:40';

test.each([
  ['en-CA', 24, A_DAY],
  // A weekday alone would be an earlier one.
  ['en-CA', 336, 'Received Tue, Jan 1, 10:40\nreply by Tue, Jan 15, 10:40'],
  // As a translator or somebody's software has changed it
  ['auto', 24, A_DAY],
  ['', 24, A_DAY],
  ['en_US', 24, A_DAY],
])(
  'on a page in %j, a message is stamped with when it was received and by when it’s answered, %i hours later, by the clock here',
  (language, hours, stamp) => {
    const received = new Date(2030, 0, 1, 10, 40).getTime();
    expect(stampOf('Received {received} · reply by {replyBy}', hours, received, language)).toBe(stamp);
  },
);
