import { group, list, named, type Of, words } from '../ui/shape.ts';

export const questions: Of<typeof shape.questions> = {
  heading: 'Straight answers before you write.',
  items: [
    {
      question: 'What does it cost in total?',
      answer: '{prices}, depending on the blueprint. You pay once, for the whole setup.',
    },
    {
      question: 'Who owns the system when we’re done?',
      answer: 'You do, 100%. Run it, change it, keep it.',
    },
    {
      question: 'Do I need new software?',
      answer: 'Only two things: spreadsheets and an app-building tool. Your system is built on them.',
    },
    {
      question: 'What if my team resists?',
      answer:
        'They help draw it. They test the new system in your real environment, and I refine it with them. Full training and support come with it.',
    },
    {
      question: 'How long does it take?',
      answer: 'Depending on the blueprint, {weeks}, with {hours} of effort in all.',
    },
    {
      question: 'Where are you based?',
      answer: 'In {country}, working with clients worldwide.',
    },
    {
      question: 'What happens after I write?',
      answer:
        'I read your message myself and reply {reply}, with a first look at where you’re stuck and which blueprint fits.',
    },
  ],
};

export const shape = {
  questions: named('Questions', 'What owners ask before they write.', {
    heading: words(),
    items: list(group({ question: words(), answer: words() }))(
      'Questions and answers',
      'The question the way an owner would ask it, and the answer in a few plain sentences.',
    ),
  }),
};
