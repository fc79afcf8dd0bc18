import { clean } from '../../contract/clean.ts';
import {
  type ContactMessage,
  clientInfo,
  DEFAULT_ANON_KEY,
  eachField,
  FIELD_NAMES,
  FORM_ID,
  HONEYPOT_FIELD,
  SENT_ANCHOR,
} from '../../contract/contact-message.ts';
import { TOPICS_FIELD, topicLine } from '../../contract/topics.ts';
import { readDraft, saveDraft } from './draft.ts';
import { failed, type Outcome, outcomeOf } from './outcome.ts';
import { pageData } from './page-data.ts';
import { showPlainToast } from './plain-toast.ts';
import { chooseTopic, forgetTopics, markTicked, ownTopics, readTopics, removeOnDemand } from './topics.ts';

const { form: words, outcomes, notifications, replyHours, language } = pageData;

/** How long it waits for the script that sends before it posts the form as without JavaScript. */
const PATIENCE_MS = 10_000;
/** After this, the form is freed, if the page that it was posted to hasn't come, was stopped, or was left. */
const SLOW_MS = 30_000;
/** A double or held Enter presses the button of a form that has just been emptied. */
const QUIET_MS = 1_000;

type InForm = typeof import('./in-form.tsx').inForm;

/** Needed only in the form: React alone is larger than all our code. Except in Firefox, a later touch retries. */
const loadInForm = (): Promise<InForm> => import('./in-form.tsx').then(({ inForm }) => inForm);

/**
 * Takes over sending. The form is left as it is in the page, with what was typed in it and whatever a translator or an
 * extension made of it: only attributes change, and text in places that are this script's alone.
 */
export function startContactForm(place: HTMLElement): void {
  /** Without one of them, nothing is taken over. */
  function part<Part extends Element>(selector: string): Part {
    const found = place.querySelector<Part>(selector);
    if (!found) throw new Error(`The form has no ${selector}`);
    return found;
  }
  // Its properties may be fields that an extension has put into it.
  const form = part<HTMLFormElement>('form');
  const action = form.getAttribute('action') ?? '';
  const fields = eachField((name) => part<HTMLInputElement | HTMLTextAreaElement>(`[name=${name}]`));
  const all = Object.values(fields);
  const button = part<HTMLButtonElement>('[type=submit]');
  const note = part('[type=submit] ~ small');
  const heard = part('[aria-live]');
  const correction = part<HTMLButtonElement>('[type=button][hidden]');
  let inForm: InForm | undefined;
  /** The domain that the email address was probably meant to have. */
  let better: string | undefined;
  /** When the last message was sent, in milliseconds since the page was opened. */
  let emptiedAt = -Infinity;
  /** What was sent, and may have arrived: no later answer about it takes that back. */
  let unconfirmed = '';

  const isSending = () => form.hasAttribute('aria-busy');
  const isEmpty = () => all.every(({ value }) => !value);
  const typed = () => eachField((name) => fields[name].value);
  /** As it's sent. Nothing typed stays nothing, so that it gets the usual error. */
  const composed = (kept: ContactMessage): ContactMessage => {
    const line = clean('message', kept.message) && topicLine(words.about, readTopics());
    return { ...kept, message: line + kept.message };
  };
  const save = () => saveDraft({ ...typed(), topics: ownTopics() });
  const update = () => {
    markTicked();
    save();
  };

  const isSent = cameBackSent();
  if (isSent) saveDraft({});
  else if (isSent === false) location.replace(`#${FORM_ID}`);
  const draft = readDraft();
  for (const name of FIELD_NAMES) fields[name].value ||= draft[name] ?? '';
  // A draft, or what the browser restored, was there at once and may be sent at once, even if the clock was set back since.
  const earlierMs = isEmpty() ? 0 : Math.abs(Date.now() - (draft.since ?? 0));
  for (const topic of draft.topics ?? []) chooseTopic(topic, true);
  update();
  // A problem was ticked, or a package asked about.
  document.addEventListener('change', update);
  removeOnDemand(form);

  form.addEventListener('focusin', () => {
    // The connection may be gone once it's needed.
    loadInForm().catch(() => {});
  });
  form.addEventListener('focusout', ({ target }) => {
    if (target !== fields.email) return;
    cleanAddress();
    doubt();
  });
  form.addEventListener('input', ({ target }) => {
    save();
    for (const field of all) if (target === field) mark(field);
    if (target === fields.email) ask();
    if (!isSending() && !all.some(isMarked)) say();
  });
  // It doesn't bubble.
  form.addEventListener('invalid', markInvalid, true);
  correction.addEventListener('click', correct);
  // Before the browser checks the fields: Enter in one of them presses the button, too.
  button.addEventListener('click', cleanAddress);
  form.addEventListener('submit', send);
  // As this script would send it
  form.addEventListener('formdata', ({ formData }) => {
    formData.delete(TOPICS_FIELD);
    for (const topic of readTopics()) formData.append(TOPICS_FIELD, topic);
  });

  /** Replaces the promise, until the visitor types again. */
  function say(status?: 'failed' | 'incomplete', stamp = '', ...more: (string | Node)[]): void {
    if (!status) {
      delete form.dataset.status;
      note.replaceChildren(words.promise);
      return;
    }
    form.dataset.status = status;
    const stamped = Object.assign(document.createElement('b'), { textContent: `${stamp} ` });
    note.replaceChildren(stamped, ...more);
  }

  function sayIncomplete(): void {
    say('incomplete', words.incomplete, words.marked);
    show(all.find(isMarked));
  }

  function isInWindow(): boolean {
    const { top, bottom } = form.getBoundingClientRect();
    return bottom >= 0 && top <= innerHeight;
  }

  /** Unless the visitor has scrolled away, and reads the toast there. */
  function show(field?: HTMLElement): void {
    if (!isInWindow()) return;
    // Only now that the error is beside the field, so screen readers read the two together.
    field?.focus();
    // The toast may cover it, and an emptied form moves up.
    (field ?? button).parentElement?.scrollIntoView({ block: 'nearest' });
  }

  /** As it will be sent, so that the visitor sees that, and the browser's own check stays the only one. */
  function cleanAddress(): void {
    const { value } = fields.email;
    const address = clean('email', value);
    if (address !== value) fields.email.value = address;
    // WebKit's check accepts no letters beyond ASCII.
    if (fields.email.validity.typeMismatch) fields.email.value = withAsciiDomain(address);
    if (fields.email.value !== value) save();
  }

  /** In the browser's own words, which it would show in a bubble over the next field. */
  function markInvalid(event: Event): void {
    event.preventDefault();
    if (performance.now() - emptiedAt < QUIET_MS && isEmpty()) return;
    for (const field of all) mark(field, field.validationMessage);
    sayIncomplete();
  }

  async function doubt(): Promise<void> {
    // Fetched only now. If that fails, nothing is asked.
    const rule = await import('./address-doubt.ts').catch(() => undefined);
    ask(rule?.likelyDomain(fields.email.value));
  }

  function ask(domain?: string): void {
    better = domain;
    const question = better && !isSending() ? words.didYouMean.replace('{domain}', better) : '';
    correction.textContent = question;
    correction.hidden = !question;
    if (!isSending()) heard.textContent = question;
  }

  function correct(): void {
    fields.email.value = fields.email.value.replace(/@.*/, `@${better}`);
    save();
    ask();
    // The button is gone, and the focus would be too.
    fields.email.focus();
  }

  function setSending(sending: boolean): void {
    turn(form, 'aria-busy', sending);
    // Not `disabled`: the button would lose the focus.
    turn(button, 'aria-disabled', sending);
    for (const field of all) field.readOnly = sending;
    ask();
    heard.textContent = sending ? words.sending : '';
  }

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isSending()) return;
    setSending(true);
    say();
    inForm?.dismissToast();
    const trap = form.querySelector<HTMLInputElement>(`[name=${HONEYPOT_FIELD}]`)?.value;
    const info = clientInfo(trap, event.timeStamp + earlierMs);
    const topics = ownTopics();
    const head = form.querySelector('#contact-topics')?.cloneNode(true);
    const kept = typed();
    const message = composed(kept);
    const before = unconfirmed;
    unconfirmed = JSON.stringify(message);

    inForm = await Promise.race([loadInForm(), wait(PATIENCE_MS)]).catch(() => undefined);
    // Whatever an extension did to the page, the form mustn't stay locked.
    const lost = () => failed(outcomes.failed.unreachable);
    const outcome = await outcomeOfSending(message, info).catch(lost);
    if (outcome?.sent) {
      unconfirmed = '';
      tell(outcome);
      return inOneMove(() => {
        setSending(false);
        empty(topics);
        if (head instanceof Element) keep(head, kept, outcome.at);
      });
    }
    if (!outcome) {
      // The script can't be loaded, so the browser does it. Anything typed meanwhile would be lost.
      HTMLFormElement.prototype.submit.call(form);
      await wait(SLOW_MS);
      setSending(false);
      // The page that follows knows more.
      return say('failed', words.unsure);
    }
    setSending(false);
    if (outcome.stamp !== words.unsure) unconfirmed = before;
    tell(outcome);
    if (outcome.field) {
      mark(fields[outcome.field], outcome.reason);
      sayIncomplete();
    } else {
      const stamp = JSON.stringify(message) === unconfirmed ? words.unsure : outcome.stamp;
      const reason = outcome.reason.replace(/[^\p{P}]$/u, '$&.');
      say('failed', stamp, `${reason} ${words.instead} `, wayOut(message.message));
      show();
    }
  }

  async function outcomeOfSending(message: ContactMessage, info: string): Promise<Outcome | undefined> {
    const key = pageData.key ?? DEFAULT_ANON_KEY;
    if (inForm) {
      const wasOffline = navigator.onLine === false;
      const address = new URL(action, location.href).href;
      return outcomeOf(await inForm.sendMessage(message, address, key, info), wasOffline);
    }
    return navigator.onLine === false ? failed(outcomes.failed.offline, words.failed) : undefined;
  }

  function tell({ toast }: Outcome): void {
    const place = document.querySelector<HTMLElement>('[data-island=toasts]');
    if (!place) return;
    if (inForm) inForm.showToast(place, toast, notifications);
    else showPlainToast(place, toast);
  }

  function empty(sent: readonly string[]): void {
    const later = ownTopics().filter((topic) => !sent.includes(topic));
    HTMLFormElement.prototype.reset.call(form);
    emptiedAt = performance.now();
    forgetTopics(sent);
    for (const field of all) mark(field);
    saveDraft({});
    for (const topic of later) chooseTopic(topic, true);
  }

  /** What stays once the toast is gone. The outcome is told already, whatever becomes of this. */
  function keep(head: Element, message: ContactMessage, at: number): void {
    const sheet = document.getElementById(SENT_ANCHOR);
    if (!inForm || !sheet) return;
    const isSeen = isInWindow();
    inForm.keepReceipt(sheet, head, message, inForm.stampOf(words.sent, replyHours, at, language), at);
    if (!isSeen) return;
    // The button that was pressed is below it, out of view.
    sheet.focus({ preventScroll: true });
    sheet.scrollIntoView({ behavior: 'instant' });
  }
}

function turn(element: Element, state: string, on: boolean): void {
  if (on) element.setAttribute(state, 'true');
  else element.removeAttribute(state);
}

const isMarked = (field: Element): boolean => field.hasAttribute('aria-invalid');

/** Says what's wrong with a field beside it; nothing, with no error. */
function mark(field: Element, error = ''): void {
  const slot = document.getElementById(`${field.id}-error`);
  if (!slot || slot.textContent === error) return;
  slot.textContent = error;
  turn(field, 'aria-invalid', error !== '');
  // For styles in browsers that can't look into it.
  field.closest('p')?.setAttribute('data-invalid', String(error !== ''));
}

/** In the form that mail servers use. Anything else stays as it is. */
function withAsciiDomain(address: string): string {
  try {
    return address.replace(
      /@([\p{L}\p{M}\d.-]+)$/u,
      (_, domain) => `@${new URL(`http://${domain}`).hostname}`,
    );
  } catch {
    return address;
  }
}

/** With a transition if the browser has them and the visitor wants motion. */
function inOneMove(change: () => void): void {
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (isCalm || !document.startViewTransition) change();
  else document.startViewTransition(change);
}

/** The same message in the visitor's own mail program. */
function wayOut(text: string): HTMLAnchorElement {
  const address = pageData.contactEmail;
  // Other encoders throw on half an emoji.
  const body = `?${new URLSearchParams({ body: text })}`.replaceAll('+', '%20');
  // Windows doesn't open longer links. The message is still in the form.
  const href = `mailto:${address}${body.length < 1900 ? body : ''}`;
  return Object.assign(document.createElement('a'), { href, textContent: address });
}

/** After a post without JavaScript. False: its address was opened. Undefined: a later reload, which may have a new draft. */
function cameBackSent(): boolean | undefined {
  const [arrival] = performance.getEntriesByType('navigation');
  const fresh = arrival instanceof PerformanceNavigationTiming && arrival.type === 'navigate';
  if (!fresh || location.hash !== `#${SENT_ANCHOR}`) return undefined;
  // A post to another host leads here without a redirect that we could see.
  return arrival.redirectCount > 0 || document.referrer.startsWith(`${location.origin}/`);
}

const wait = (milliseconds: number) =>
  new Promise<undefined>((done) => setTimeout(done, milliseconds, undefined));
