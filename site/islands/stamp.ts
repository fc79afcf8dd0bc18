import { HOUR } from '../../contract/time.ts';
import { pageData } from './page-data.ts';

const { replyHours, form } = pageData;
const A_WEEK = 168;

/** When it was received and by when it's answered, by the visitor's own clock. */
export function receipt(now: number, language: string): string {
  const clock = clockIn(language);
  return (
    form.sent
      .replace('{received}', clock.format(now))
      .replace('{replyBy}', clock.format(now + replyHours * HOUR))
      // A line each: no dot is left hanging.
      .replace(' · ', '\n')
  );
}

/** Where a translator or somebody's software has made it no language, in English. */
function clockIn(language: string): Intl.DateTimeFormat {
  const options: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    // A weekday alone would be the wrong one.
    ...(replyHours >= A_WEEK && { day: 'numeric', month: 'short' }),
  };
  try {
    return new Intl.DateTimeFormat([language, 'en'], options);
  } catch {
    return new Intl.DateTimeFormat('en', options);
  }
}
