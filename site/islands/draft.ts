import { type ContactMessage, FIELD_NAMES } from '../../contract/contact-message.ts';

// Reading `sessionStorage` throws where a visitor blocks storage. Then there's no draft, and no error.
const KEY = 'contact-draft';

export type Draft = Partial<ContactMessage> & {
  topics?: readonly string[];
  /** When its first letter was typed, in milliseconds since 1970. */
  since?: number;
};

/** Empty fields alone don't count as a draft. */
export function saveDraft(draft: Draft, now = Date.now()) {
  try {
    const isTyped = FIELD_NAMES.some((field) => draft[field]);
    const since = isTyped ? (readDraft().since ?? now) : undefined;
    if (isTyped || draft.topics?.length) sessionStorage.setItem(KEY, JSON.stringify({ ...draft, since }));
    else sessionStorage.removeItem(KEY);
  } catch {}
}

export function readDraft(): Draft {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
  } catch {
    return {};
  }
}
