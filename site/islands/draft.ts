import { type ContactMessage, FIELD_NAMES } from '../../contract/contact.ts';

const KEY = 'contact-draft';

// Reading `sessionStorage` throws where a visitor blocks storage; a draft is worth no error.
type GetStorage = () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
const session: GetStorage = () => window.sessionStorage;

export function saveDraft(draft: ContactMessage, storage: GetStorage = session) {
  try {
    if (FIELD_NAMES.some((field) => draft[field])) storage().setItem(KEY, JSON.stringify(draft));
    else storage().removeItem(KEY);
  } catch {}
}

export function readDraft(storage: GetStorage = session): Partial<ContactMessage> {
  const draft: Partial<ContactMessage> = {};
  try {
    const values = new Map<string, unknown>(Object.entries(JSON.parse(storage().getItem(KEY) ?? '{}')));
    for (const field of FIELD_NAMES) {
      const value = values.get(field);
      if (typeof value === 'string') draft[field] = value;
    }
  } catch {}
  return draft;
}

export function clearDraft(storage: GetStorage = session) {
  try {
    storage().removeItem(KEY);
  } catch {}
}
