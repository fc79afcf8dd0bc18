import { USUAL_REPLY_HOURS } from '../../contract/refusal-sentences.ts';
import { count, currency, matching, named, type Of, plain, wordsWith } from '../ui/shape.ts';

export const brand: Of<typeof shape.brand> = {
  name: 'Blueprint Operations',
};

export const replyHours: Of<typeof shape.replyHours> = USUAL_REPLY_HOURS;

export const replyTime: Of<typeof shape.replyTime> = 'within {hours} hours';

export const business: Of<typeof shape.business> = {
  country: 'Canada',
  countryCode: 'CA',
  serves: 'Worldwide',
  currency: 'CAD',
};

const hours = count('hours', 336, 24);
export const shape = {
  brand: named('Name', {
    name: plain('Name of the business', 'In the header, the footer, the browser’s tab and shared links.'),
  }),
  replyHours: hours(
    'Reply within',
    'The page promises it. The desk uses it to remind you, and to tell you who has waited too long.',
  ),
  replyTime: wordsWith('hours')(
    'How soon you answer',
    'The end of a sentence: “I reply within 24 hours.” In other texts, it’s {reply}. You can write “within an hour” or “within two working days” instead; then set “Reply within” to the longest wait that this allows.',
  ),
  business: named('Business', {
    country: plain('Where you’re based', 'In other texts, it’s {country}.'),
    countryCode: matching(
      plain,
      /^[A-Z]{2}$/,
      'must be two capital letters, such as CA',
    )('The same country in two letters', 'For search engines; iso.org/obp/ui/#search/code lists them.'),
    serves: plain(
      'Where your clients are',
      'For search engines: one word or place, such as Worldwide or Ontario.',
    ),
    currency: currency(
      'Currency of all prices',
      'Three letters. In other texts, it’s {currency}, or {currencyName} in words.',
    ),
  }),
};
