import { type ContactMessage, FIELD_NAMES } from '../../contract/contact.ts';

// Reading `sessionStorage` throws where a visitor blocks storage. Then there's no draft, and no error.
const KEY = 'contact-draft';

export function saveDraft(draft: ContactMessage) {
  try {
    if (FIELD_NAMES.some((field) => draft[field])) sessionStorage.setItem(KEY, JSON.stringify(draft));
    else sessionStorage.removeItem(KEY);
  } catch {}
}

export function readDraft(): Partial<ContactMessage> {
  const draft: Partial<ContactMessage> = {};
  try {
    const values = new Map<string, unknown>(Object.entries(JSON.parse(sessionStorage.getItem(KEY) ?? '{}')));
    for (const field of FIELD_NAMES) {
      const value = values.get(field);
      if (typeof value === 'string') draft[field] = value;
    }
  } catch {}
  return draft;
}

export function clearDraft() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {}
}
