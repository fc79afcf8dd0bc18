import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { clean } from '../../contract/clean.ts';
import { FIELD_NAMES, FIELDS } from '../../contract/contact-message.ts';
import { readSettings } from '../../settings/settings.ts';
import { inLongRun } from '../../tests/long.ts';
import { idOf, rowAt } from '../../tests/support/database/message-rows.ts';
import { linksOf, MESSAGE, SAID } from '../../tests/support/service.ts';
import { composeNotification } from '../mail/mails.ts';
import { compose } from '../mail/transport.ts';
import { checkMessage } from '../messages/fields.ts';
import { ENGLISH, fieldRefusal } from './answers.ts';

// The same cases in each `npm test`; new ones, and many more, in the long run.
fc.configureGlobal(inLongRun({}, { seed: 20261121 }));
const times = inLongRun(50, 1);

/** Text that people and attackers write: every script, and characters that trip up other programs. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        ...['Bcc: a@b.example', '=?utf-8?q?=0d=0a?=', '<a@b.example>', '<b>', '&amp;', '%0d%0a', 'From '],
        ...['\n.\n', '\n..', '\n\t'],
        ...['\r\n', ' ', '\ud800', '\udfff', '山', '👩🏽‍🔧', 'ﬁ', '{{', '$&', '--', '://'],
        ...'\n\r\t\0\u2028\u202e\u2066\u0301\u200b\ufeffe"\',;.\\()',
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join('')),
);
const email = fc.oneof(
  fc.constantFrom('ana@example.org', 'a@b', 'info@münchen.example', "o'brien+x@example.co"),
  fc.constantFrom('.odd.@example.org', 'a..b@example.org', 'x{y}|z@example.org'),
  fc.emailAddress(),
  text,
);

test('whatever arrives is refused with a field and a sentence, or accepted clean and within the limits, and unchanged the next time', () => {
  const mostly = (usual: fc.Arbitrary<string>) => fc.oneof({ arbitrary: usual, weight: 5 }, fc.anything());
  const fields = { name: mostly(text), email: mostly(email), message: mostly(text) };
  const input = fc.record(fields, { requiredKeys: [] });
  fc.assert(
    fc.property(input, (candidate) => {
      const checked = checkMessage(candidate);
      if (!checked.ok) {
        expect(FIELD_NAMES).toContain(checked.field);
        expect(fieldRefusal(checked.field, checked.fault, ENGLISH).error).toMatch(/^[A-Z].+\.$/);
        return;
      }
      for (const field of FIELD_NAMES) {
        const value = checked.message[field];
        expect([...value].length).toBeGreaterThanOrEqual(FIELDS[field].required ? 1 : 0);
        expect([...value].length).toBeLessThanOrEqual(FIELDS[field].max);
        expect(value.isWellFormed()).toBe(true);
        expect(value).toBe(value.trim().normalize('NFC'));
      }
      expect(checked.message.message).not.toMatch(/(?![\n\t])[\p{Cc}\u2028\u2029]/u);
      expect(checked.message.name).not.toMatch(/\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u);
      expect(checkMessage(checked.message)).toEqual(checked);
    }),
    { numRuns: 4000 * times },
  );
});

test('cleaning never breaks, and once is enough, both on the page and in the function', () => {
  const copied = fc
    .array(fc.oneof(email, fc.constantFrom(...COPIED, ...'<>"\'“”.,;: \u00a0\u200b\u200c\u00ad\u200e＠ａ?')))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.constantFrom(...FIELD_NAMES), fc.oneof(text, copied), (field, typed) => {
      const once = clean(field, typed);
      expect(clean(field, once)).toBe(once);
      const judged = (value: string) => checkMessage({ ...MESSAGE, [field]: value });
      expect(judged(once)).toEqual(judged(typed));
    }),
    { numRuns: 3000 * times },
  );
});
const COPIED = ['Ana <', 'mailto:', '?subject=', '%40', '%0d', '%e2%80%8b', 'ana@example.org', '½', 'ﬁ', 'ü'];

/** Text of any script, without what's cleaned. */
const clear = fc
  .oneof(text, fc.string({ unit: 'grapheme', maxLength: 200 }))
  .map((typed) => typed.replace(/(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029]/gu, ''));

test('no readable message from an address that browsers take is refused, and each keeps its words', () => {
  const isSeen = (typed: string) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(typed.replace(/[\p{DI}\u2800]/gu, ''));
  const name = clear.map((typed) => typed.replace(/[\n\t]/g, '')).filter(isSeen);
  // Domains of letters in any script, as browsers and the function have always taken them.
  const label = fc.string({ unit: fc.constantFrom(...'az09-éüß例えمثال½ﬁⅷ'), minLength: 1, maxLength: 9 });
  const sign = fc.constantFrom(..."aZ09.!#$%&'*+/=?^_`{|}~-");
  const local = fc.string({ unit: sign, minLength: 1, maxLength: 20 });
  const address = fc
    .tuple(local, fc.array(label, { minLength: 1, maxLength: 3 }))
    .map(([before, labels]) => ({
      typed: `${before}@${labels.join('.')}`,
      stored: `${before}@${domainToASCII(labels.join('.'))}`,
    }));
  const browsersRule = v.pipe(v.string(), v.rfcEmail());
  fc.assert(
    fc.property(name, address, clear.filter(isSeen), (typedName, { typed, stored }, message) => {
      fc.pre(v.is(browsersRule, stored));
      const isAscii = !/\P{ASCII}/u.test(typed);
      expect(checkMessage({ name: typedName, email: typed, message })).toEqual({
        ok: true,
        message: {
          name: typedName
            .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
            .trim()
            .normalize('NFC'),
          email: isAscii ? typed : stored,
          message: message.trim().normalize('NFC'),
        },
      });
    }),
    { numRuns: 2000 * times },
  );
});

const MAIL_HEADERS = 'content-type date from message-id mime-version reply-to subject to';

const SETTINGS = readSettings({ CONTACT_EMAIL: 'owner@example.com', MAIL_FROM: 'Site <web@example.com>' });

test('whatever a visitor typed, the mail has one recipient, one address to answer, and no header of theirs', async () => {
  await fc.assert(
    fc.asyncProperty(text, email, text, async (name, address, message) => {
      const checked = checkMessage({ name, email: address, message });
      if (!checked.ok) return;
      const raw = await compose(composeNotification(rowAt(0, checked.message), SAID, SETTINGS));
      const parsed = await PostalMime.parse(raw);
      expect(parsed.headers.map(({ key }) => key).toSorted()).toEqual(MAIL_HEADERS.split(' '));
      expect(parsed.from?.address).toBe('web@example.com');
      expect(parsed.to?.map((to) => to.address)).toEqual(['owner@example.com']);
      expect(parsed.from?.name).toMatch(/^[^<>"@]*\(website\)$/);
      expect(parsed.replyTo).toHaveLength(1);
      expect(parsed.messageId).toBe(`<${idOf(0)}@example.com>`);
      expect(parsed.attachments).toEqual([]);
      expect(parsed.text).toContain(`\n\n${checked.message.message}\n\n-- \n`);
      const answered = linksOf(parsed.html ?? '').map((href) => decodeURIComponent(new URL(href).pathname));
      for (const to of [parsed.replyTo?.[0]?.address, ...answered])
        expect(to?.replaceAll('"', '')).toBe(checked.message.email);
      const head = raw.toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
      expect(Math.max(...head.split('\r\n').map((line) => line.length))).toBeLessThan(998);
    }),
    { numRuns: 1000 * times },
  );
});
