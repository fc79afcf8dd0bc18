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
import { greeting, quote } from './reply-address.ts';

const SEND_MS = 60_000;

/** A form of an answer. Its text stays in it until it's sent. */
export type Draft = {
  text: string;
  /** Of this form. What's sent with it again is the same mail. */
  key: string;
  /** When the message was answered as far as the form knew, or ''. */
  answeredAt: string;
  /** Why it wasn't sent. */
  fault?: string;
};

const newKey = () => randomBytes(12).toString('hex');

export function newDraft(message: Message): Draft {
  return { text: `${greeting(message)}\n\n`, key: newKey(), answeredAt: String(message.answeredAt ?? '') };
}

/** As it was posted. Its key goes into a Message-ID. */
export function readDraft(typed: Record<string, unknown>): Draft {
  const [text = '', key = '', answeredAt = ''] = ['text', 'key', 'answeredAt'].map((name) =>
    String(typed[name] ?? ''),
  );
  return { text: text.replace(/\r\n?/g, '\n'), key: /^[\da-f]{24}$/.test(key) ? key : newKey(), answeredAt };
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

  /** Returns why it isn't sent. */
  async function send(message: Message, draft: Draft): Promise<string | undefined> {
    const settings = desk.settings();
    if (message.answeredAt !== null && String(message.answeredAt) !== draft.answeredAt)
      return 'You’ve answered this message meanwhile. This one wasn’t sent. Send it again if you mean both.';
    if (['', greeting(message)].includes(draft.text.trim()))
      return 'Nothing was sent: there’s only the greeting.';
    const why = whyNotHere(message, settings);
    if (why) return `Nothing was sent. ${why}`;
    const mailer = openMailer(settings.mail);
    try {
      await mailer.send(composeAnswer(message, draft, settings), AbortSignal.timeout(SEND_MS));
      sent.add(draft.key);
      return undefined;
    } catch (error) {
      const { kind, label } = classifyMailError(error);
      const perhaps = kind === 'slow' ? ' It may have gone out all the same.' : '';
      return `It wasn’t sent: ${describeFault(label)}.${perhaps} Your text is still here.`;
    } finally {
      mailer.close();
    }
  }

  async function once(id: string, draft: Draft): Promise<{ said: string } | { draft: Draft }> {
    const database = await desk.database();
    const message = await findMessage(database, id);
    const { contactEmail, timeZone } = desk.settings();
    const said = `Your answer to ${oneLine(message.name)} is sent. A copy comes to ${contactEmail}.`;
    if (sent.has(draft.key)) return { said };
    const fault = await send(message, draft);
    // With what's known by now, so that sending it once more is meant.
    if (fault) return { draft: { ...draft, answeredAt: String(message.answeredAt ?? ''), fault } };
    return noteAnswer(database, message, { timeZone }).then(
      () => ({ said }),
      (error: unknown) => ({ said: `${said} But it couldn’t be noted as answered. ${explain(error)}` }),
    );
  }

  return (id: string, draft: Draft) => {
    const turn = (turns.get(id) ?? Promise.resolve()).catch(() => undefined).then(() => once(id, draft));
    turns.set(id, turn);
    return turn;
  };
}
