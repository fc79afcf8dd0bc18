import { eachField, FIELD_NAMES, type Field } from '../../contract/contact-message.ts';
import type { Draft } from './draft.ts';
import { ownTopics } from './topics.ts';

export function messageIn(form: HTMLFormElement) {
  return eachField((field) => fieldIn(form, field)?.value ?? '');
}

export function draftIn(form: HTMLFormElement): Draft {
  return { ...messageIn(form), topics: ownTopics() };
}

export function fieldIn(form: HTMLFormElement, name: string) {
  const field = form.elements.namedItem(name);
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field : undefined;
}

export function fillEmptyFields(form: HTMLFormElement, draft: Draft) {
  for (const name of FIELD_NAMES) {
    const field = fieldIn(form, name);
    if (field && !field.value) field.value = draft[name] ?? '';
  }
}

export const isEmpty = (form: HTMLFormElement): boolean =>
  FIELD_NAMES.every((name) => !fieldIn(form, name)?.value);

/** Says what's wrong with a field beside it; nothing, with no error. */
export function markField(form: HTMLFormElement, name: Field, error = '') {
  const field = fieldIn(form, name);
  const slot = document.getElementById(`${field?.id}-error`);
  if (!field || !slot || slot.textContent === error) return;
  slot.textContent = error;
  if (error) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
  // For styles in browsers that can't look into it.
  field.closest('p')?.setAttribute('data-invalid', String(error !== ''));
}

export const markedFields = (form: HTMLFormElement): Field[] =>
  FIELD_NAMES.filter((name) => fieldIn(form, name)?.hasAttribute('aria-invalid'));
