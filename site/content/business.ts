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
    name: plain('Name of the business', 'The header, the footer, the browser’s tab, shared links.'),
  }),
  replyHours: hours(
    'Reply within',
    'The page promises it, and the desk counts by it: it reminds you, and says who has waited too long.',
  ),
  replyTime: wordsWith('hours')(
    'How soon you answer',
    'The end of a sentence: “I reply within 24 hours.” Other texts call it {reply}. You can write “within an hour” or “within two working days” instead; the hours in your settings are then the longest wait that this allows.',
  ),
  business: named('Business', {
    country: plain('Where you’re based', 'Other texts call it {country}.'),
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
      'In three letters. Other texts call it {currency}, and {currencyName} in words.',
    ),
  }),
};
