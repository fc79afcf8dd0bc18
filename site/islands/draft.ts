import { type ContactMessage, FIELD_NAMES } from '../../contract/contact-message.ts';

// Reading `sessionStorage` throws where a visitor blocks storage. Then there's no draft, and no error.
const KEY = 'contact-draft';

/** Empty fields alone don't count as a draft. */
export function saveDraft(draft: Partial<ContactMessage>) {
  try {
    if (FIELD_NAMES.some((field) => draft[field])) sessionStorage.setItem(KEY, JSON.stringify(draft));
    else sessionStorage.removeItem(KEY);
  } catch {}
}

export function readDraft(): Partial<ContactMessage> {
  const draft: Partial<ContactMessage> = {};
  try {
    const stored: Record<string, unknown> = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    for (const field of FIELD_NAMES) {
      const text = stored[field];
      if (typeof text === 'string') draft[field] = text;
    }
  } catch {}
  return draft;
}
