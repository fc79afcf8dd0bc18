import { createRoot } from 'react-dom/client';
import { type ContactMessage, FIELD_NAMES } from '../../contract/contact-message.ts';
import { HOUR } from '../../contract/time.ts';
import { Parcel } from '../drawings/parts/boxes.tsx';
import { Sheet } from '../drawings/parts/sheet.tsx';
import { OpenVan } from '../drawings/parts/van.tsx';

/** Shows the sheet that was sent `at` (milliseconds since 1970), with the form's head as it was then, until the page is left. */
export function keepReceipt(
  sheet: HTMLElement,
  head: Element,
  sent: ContactMessage,
  stamp: string,
  at: number,
): void {
  sheet.querySelector('b')?.replaceChildren(stamp);
  for (const part of [sheet, ...sheet.querySelectorAll<HTMLElement>('[hidden]')]) part.hidden = false;
  sheet.querySelector('button')?.addEventListener('click', () => print());
  // From now on, this is what prints, however they ask for it.
  document.documentElement.toggleAttribute('data-copy', true);
  const values = sheet.querySelectorAll('dd');
  for (const [at, name] of FIELD_NAMES.entries()) values[at]?.replaceChildren(sent[name] ?? '');
  // Later marks don't belong on it.
  for (const live of head.querySelectorAll('[data-marks]')) live.removeAttribute('data-marks');
  for (const control of head.querySelectorAll('a, button')) control.remove();
  head.removeAttribute('id');
  sheet.querySelector('[data-kept]')?.replaceChildren(head);
  // For the copy, which outlives the week. As numbers, it needs no language.
  sheet.dataset.sent = new Date(at).toLocaleDateString('en-CA');
  if (head.parentElement) depart(head.parentElement);
}

/** The message leaves as a parcel, once, without a trace. Styles decide how, and whether it shows at all. */
function depart(from: Element): void {
  const place = document.createElement('i');
  const root = createRoot(place);
  place.addEventListener('animationend', () => {
    root.unmount();
    place.remove();
  });
  from.append(place);
  root.render(
    <Sheet view={[-154, -70, 220, 196]}>
      <OpenVan from={[0, 0]}>
        <g className="d-hot">
          <Parcel from={[1, 10.8, 1.3]} size={[2.4, 2.4, 1.9]} />
        </g>
      </OpenVan>
    </Sheet>,
  );
}

/** Fills in {received} and {replyBy} in the visitor's time zone and the page's language; `now` is in milliseconds since 1970. */
export function stampOf(sentence: string, replyHours: number, now: number, language: string): string {
  const clock = new Intl.DateTimeFormat([language, 'en'], {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    // A weekday alone would be ambiguous.
    ...(replyHours >= 7 * 24 && { day: 'numeric', month: 'short' }),
  });
  return (
    sentence
      .replace('{received}', clock.format(now))
      .replace('{replyBy}', clock.format(now + replyHours * HOUR))
      // On two lines, so that no dot is left hanging.
      .replace(' · ', '\n')
  );
}
