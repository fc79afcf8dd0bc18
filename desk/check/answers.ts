import { unansweredWords } from '../unanswered.ts';
import { about, type Check } from './check.ts';

const subject = about('messages', 'answers', 'Answers');

/** Whether anybody has waited for an answer longer than the page promises. */
export const answers: Check = {
  about: subject,
  needs: ['DATABASE_URL'],
  run: async ({ database, now }) => {
    const report = await database();
    if (!('queue' in report)) return [];
    const { unanswered } = report.queue;
    const found = unansweredWords(unanswered, now);
    if (unanswered.late === 0) return [subject.ok(found)];
    return [
      subject.look(found, 'Answer them in the inbox of your desk, and press “I’ve answered” for each.'),
    ];
  },
};
