import { DEFAULT_ANON_KEY } from '../../contract/contact-message.ts';
import { replyHours } from '../content/business.ts';
import { contactForm, notifications, outcomes } from '../content/contact-form.ts';
import { problems } from '../content/problems.ts';
import { site } from '../content/site.ts';
import type { Shown } from '../ui/assets.ts';

export type PageData = ReturnType<typeof pageData>;

/** The words and settings that the page's scripts need, so that none is in a script. */
export function pageData({ contactEmail, supabaseAnonKey }: Pick<Shown, 'contactEmail' | 'supabaseAnonKey'>) {
  const { status, topics, didYouMean, sending, promise, marked, instead } = contactForm;
  const { copied, copy, lit } = problems.share;
  return {
    // Not taken from the page's links, which some hosts rewrite to hide the address from programs.
    contactEmail,
    /** Undefined for our own server's. */
    key: supabaseAnonKey === DEFAULT_ANON_KEY ? undefined : supabaseAnonKey,
    replyHours,
    language: site.language,
    form: {
      ...{ didYouMean, sending, promise, marked, instead },
      ...{ sent: status.sent, failed: status.failed, unsure: status.unsure, incomplete: status.incomplete },
      ...{ about: topics.label, both: topics.both, oneOfUs: topics.oneOfUs },
    },
    share: { copied, copy, lit },
    outcomes,
    notifications,
  };
}
