import { eachField, FIELD_NAMES, type Field } from '../../contract/contact-message.ts';
import type { Draft } from './draft.ts';
import { readTopics } from './topics.ts';

/** What's wrong with each field. */
export type Faults = Partial<Record<Field, string>>;

export function messageIn(form: HTMLFormElement) {
  const data = new FormData(form);
  return eachField((field) => String(data.get(field) ?? ''));
}

export function draftIn(form: HTMLFormElement): Draft {
  return { ...messageIn(form), topics: readTopics() };
}

export function fieldIn(form: HTMLFormElement | null, name: string) {
  const field = form?.elements.namedItem(name);
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field : undefined;
}

export function fillEmptyFields(form: HTMLFormElement, draft: Draft) {
  for (const name of FIELD_NAMES) {
    const field = fieldIn(form, name);
    if (field && !field.value) field.value = draft[name] ?? '';
  }
}

/** In the browser's own words, which it would show in a bubble over the next field. */
export function faultsIn(form: HTMLFormElement | null): Faults {
  const found = FIELD_NAMES.map((name) => [name, fieldIn(form, name)?.validationMessage]);
  return Object.fromEntries(found.filter(([, words]) => words));
}
