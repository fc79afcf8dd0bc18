import { expect, test } from 'vitest';
import { likelyDomain } from './address-doubt.ts';

test.each([
  ['dana@gmial.con', 'gmail.com'],
  ['Dana@GMAIL.CON', 'gmail.com'],
  ['jean@gmail', 'gmail.com'],
  ['jean@gmailcom', 'gmail.com'],
  ['jean@videotron', 'videotron.ca'],
  ['a@gamil.com', 'gmail.com'],
  ['a@hotmial.fr', 'hotmail.fr'],
  ['a@outlok.com', 'outlook.com'],
  ['a@yahooo.ca', 'yahoo.ca'],
  ['a@tremblay.vom', 'tremblay.com'],
  ['a@operations.example.nte', 'operations.example.net'],
])('%s most likely has a typo, and %s was meant', (email, better) => {
  expect(likelyDomain(email)).toBe(better);
});

const REAL =
  'gmail.com gmail.co ymail.com email.com mail.com gmx.de gmx.com live.ca live.com me.com mac.com aol.com msn.com hotmail.fr hotmail.co.uk hotmail.it yahoo.co.uk yahoo.de outlook.de icloud.com cloud.com proton.me protonmail.ch googlemail.com telus.net bell.net rogers.com shaw.ca web.de orange.fr free.fr example.org example.ca x.cm x.co x.om bücher.example xn--bcher-kva.example a.b.c operations-tremblay';

test.each(REAL.split(' '))('%s may be meant, and is not doubted', (domain) => {
  expect(likelyDomain(`ana@${domain}`)).toBeUndefined();
});
