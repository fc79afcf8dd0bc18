import { randomBytes } from 'node:crypto';
import { RFC_EMAIL_REGEX } from 'valibot';
import { classifyMailError, describeFault } from '../../server/mail/faults.ts';
import type { Mail } from '../../server/mail/mail.ts';
import { openMailer } from '../../server/mail/mailer.ts';
import { composeNotification, oneLine as inHeader } from '../../server/mail/notification.ts';
import type { Message } from '../../server/messages/message.ts';
import { type Settings, UNNAMED_SENDER } from '../../settings/settings.ts';
import { noteAnswer } from '../answered.ts';
import type { Desk } from '../desk.ts';
import { explain } from '../failures.ts';
import { findMessage } from '../find-message.ts';
import { oneLine } from '../terminal.ts';
import { localTime } from '../time.ts';
import { greeting, quote } from './reply-address.ts';

const SEND_MS = 60_000;

/** A form of an answer. Whatever happens, its text stays in it until it's sent. */
export type Draft = {
  text: string;
  /** Of this form. What's sent with it again is the same mail. */
  key: string;
  /** When the message was answered as far as the form knew, or ''. */
  answeredAt: string;
  /** Why it wasn't sent. */
  fault?: string;
};

export function newDraft(message: Message): Draft {
  const key = randomBytes(12).toString('hex');
  return { text: `${greeting(message)}\n\n`, key, answeredAt: String(message.answeredAt ?? '') };
}

/** It goes into a Message-ID. */
const isKey = ({ key }: Draft) => /^[\da-f]{24}$/.test(key);

/** As it was posted. */
export function readDraft(typed: Record<string, unknown>): Draft {
  const read = (name: string) => (typeof typed[name] === 'string' ? typed[name] : '');
  return { text: read('text').replace(/\r\n?/g, '\n'), key: read('key'), answeredAt: read('answeredAt') };
}

/** Why nothing can be sent from here, or nothing if it can. */
export function whyNotHere({ email }: Message, { mail }: Pick<Settings, 'mail'>): string | undefined {
  if (!RFC_EMAIL_REGEX.test(email)) return 'This address can’t be mailed to.';
  return mail.via === 'smtp'
    ? undefined
    : 'To send it from here, set your mail server in Settings. Until then, mails are only saved as files, and nothing would reach anybody.';
}

/**
 * Her own mail to the visitor, in the thread of the notification. It's from the address that her mail server is known to
 * take, which need not be the one that she reads.
 */
export function composeAnswer(message: Message, { text, key }: Draft, settings: Settings): Mail {
  const { contactEmail, mailFrom, timeZone } = settings;
  const asked = composeNotification(message, settings);
  const name = mailFrom.name === UNNAMED_SENDER ? '' : mailFrom.name;
  return {
    id: `answer-${message.id}`,
    from: { name, address: mailFrom.address },
    to: { name: inHeader(message.name), address: message.email },
    // Her sent folder knows nothing of it.
    bcc: asked.to,
    ...(mailFrom.address !== contactEmail && { replyTo: asked.to }),
    subject: `Re: ${asked.subject}`,
    messageId: asked.messageId.replace('<', `<answer-${key}-`),
    inReplyTo: asked.messageId,
    references: `${asked.references} ${asked.messageId}`,
    at: Date.now(),
    text: `${text.trimEnd()}\n\n${quote(message, message.message, timeZone)}\n`,
    html: '',
    isByPerson: true,
  };
}

/** Sends answers: one mail for each form, however often it's posted, and one at a time for each message. */
export function createAnswering(desk: Desk) {
  const sent = new Set<string>();
  const turns = new Map<string, Promise<unknown>>();

  async function send(message: Message, draft: Draft): Promise<string | undefined> {
    const settings = desk.settings();
    const { answeredAt, name } = message;
    if (answeredAt !== null && String(answeredAt) !== draft.answeredAt)
      return `You’ve answered ${oneLine(name)} meanwhile (${localTime(answeredAt, settings.timeZone)}). This one wasn’t sent. Send it again if you mean both.`;
    const typed = draft.text.trim();
    if (typed === '' || typed === greeting(message)) return 'Nothing was sent: there’s only the greeting.';
    const why = whyNotHere(message, settings);
    if (why || !isKey(draft)) return `Nothing was sent. ${why ?? 'Try again.'}`;
    const mailer = openMailer(settings.mail);
    try {
      await mailer.send(composeAnswer(message, draft, settings), AbortSignal.timeout(SEND_MS));
    } catch (error) {
      const { kind, label } = classifyMailError(error);
      const perhaps = kind === 'slow' ? ' It may have gone out all the same.' : '';
      return `It wasn’t sent: ${describeFault(label)}.${perhaps} Your text is still here.`;
    } finally {
      mailer.close();
    }
    sent.add(draft.key);
    return undefined;
  }

  async function once(id: string, draft: Draft): Promise<{ said: string } | { draft: Draft }> {
    const database = await desk.database();
    const message = await findMessage(database, id);
    const said = `Your answer to ${oneLine(message.name)} is sent. A copy comes to ${desk.settings().contactEmail}.`;
    if (sent.has(draft.key)) return { said };
    const fault = await send(message, draft);
    // With what's known by now, so that sending it once more is meant.
    const fresh = newDraft(message);
    if (fault)
      return { draft: { ...fresh, text: draft.text, key: isKey(draft) ? draft.key : fresh.key, fault } };
    try {
      await noteAnswer(database, message, { timeZone: desk.settings().timeZone });
      return { said };
    } catch (error) {
      return { said: `${said} But it couldn’t be noted as answered. ${explain(error)}` };
    }
  }

  return async (id: string, draft: Draft) => {
    const before = turns.get(id);
    const turn = Promise.resolve(before)
      .catch(() => undefined)
      .then(() => once(id, draft));
    turns.set(id, turn);
    try {
      return await turn;
    } finally {
      if (turns.get(id) === turn) turns.delete(id);
    }
  };
}
