import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Field } from '../contract/contact.ts';

/** Everything that can go wrong, in one place. `error` is for the visitor, `message` for the client. */
export type Refusal = {
  status: ContentfulStatusCode;
  headers?: Record<string, string>;
  code: string;
  message?: string;
  error: string;
  /** The first bad field. */
  field?: Field;
};

/** The rest of such a body is dropped, so the connection can't be used for anything more. */
const HANG_UP = { connection: 'close' };

export const refusals = {
  key: {
    status: 401,
    code: 'UNAUTHORIZED',
    error:
      'Your message was not sent, because this page could not identify itself. Please reload it and try again.',
  },
  origin: {
    status: 403,
    code: 'ORIGIN_NOT_ALLOWED',
    error: 'Your message was not sent, because this form does not take messages from that website.',
  },
  method: {
    status: 405,
    headers: { allow: 'POST, OPTIONS' },
    code: 'METHOD_NOT_ALLOWED',
    error: 'Messages are sent here with POST.',
  },
  unknownFunction: {
    status: 404,
    code: 'NOT_FOUND',
    message: 'Requested function was not found',
    error: 'Your message was not sent, because there is no contact form at this address.',
  },
  type: {
    status: 415,
    headers: HANG_UP,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    error: 'Your message was not sent, because it did not arrive as plain JSON.',
  },
  tooLarge: {
    status: 413,
    headers: HANG_UP,
    code: 'BODY_TOO_LARGE',
    error: 'Your message is too long to be sent. Please shorten it.',
  },
  badJson: {
    status: 400,
    code: 'INVALID_JSON',
    error: 'Your message arrived incomplete and was not saved. Please send it again.',
  },
  field: { status: 422, code: 'INVALID_FIELD', error: '' },
  tooMany: {
    status: 429,
    code: 'TOO_MANY_REQUESTS',
    error: 'There were many messages from your connection. Please wait a little and send yours again.',
  },
  notStored: {
    status: 503,
    headers: { 'retry-after': '30' },
    code: 'NOT_STORED',
    error: 'Your message could not be saved. Please try again in a minute.',
  },
  unforeseen: {
    status: 500,
    code: 'UNEXPECTED',
    error: 'Something went wrong on our side, and your message was not saved. Please try again.',
  },
} satisfies Record<string, Refusal>;
