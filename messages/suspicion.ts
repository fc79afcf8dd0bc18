import { createHash } from 'node:crypto';
import type { ContactMessage } from '../contract/contact.ts';

/** What's known of a message besides its words. */
export type Circumstances = {
  /** The field that people don't see was filled in. */
  trap?: boolean | undefined;
  /** How long the page had been open when the message was sent, in milliseconds. */
  openMs?: number | undefined;
  /** How often the same text came within the hour before, whoever sent it. */
  sameText?: number | undefined;
  /** What the owner's own judgements say: -LEARNED_MOST is like what she answered, LEARNED_MOST like her spam. */
  learned?: number | undefined;
};

/** From so many points on, a message is held back; but never for one sign alone, unless it's the trap. */
const HOLD_AT = 3;
export const LEARNED_MOST = 4;
const FASTEST_PERSON_MS = 3_000;
/** Fewer may be one person who is impatient. */
const COPIES = 4;
/** Two people may well write the same few words. */
const SHORTEST_COPY_WORDS = 8;

/** Each line holds alternatives, as in a regular expression. They begin with a whole word. */
function words({ raw: [lines = ''] }: TemplateStringsArray): RegExp {
  const any = lines
    .trim()
    .split(/\s*\n\s*/)
    .join('|');
  return new RegExp(String.raw`(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{N}])(?:${any})`, 'giu');
}

/* What spam says, and people who need something seldom say. */

const SEARCH = words`
  seo\b|search engines?\b|(?:top|first page|1st page|page one|page 1|#1) (?:of|on|in) google|google['’]?s? (?:first|1st) page
  (?:top|better|higher|good|guaranteed|google|search) ranking|rank(?:ing|ed|s)? (?:#?1|well|high|higher|first|better|on google|in google)\b
  (?:organic|targeted|web|website|more|real) (?:traffic|visitors)\b|google search results|keywords? (?:research|ranking)
  backlinks?\b|do-?follow|link[- ](?:building|exchange|insertion)|permanent (?:text )?links?|domain (?:authority|rating)|d[ar] ?\d\d
  guest post|sponsored (?:post|article|content|link)|niche edits?|pbn\b|press release|link to my (?:web)?site
  référencement|première page de google|posicionamiento|primera página|suchmaschinenoptimierung
  продвижени|раскрутк|в топ\b|外链|排名|seo`;

const MONEY = words`
  bitcoins?\b|btc\b|crypto\b|cryptocurrency|forex\b|presale|passive income|(?:automated|online|crypto|bitcoin|ai) trading|trading (?:bot|robot|software|signals)
  (?:weekly|daily|monthly) (?:returns?|profits?)|(?:urgent|instant|personal|business|quick|payday) loans?|(?:offer|give|provide)(?: out)? (?:\w+ ){0,3}loans?|debt consolidation
  (?:low|\d%) interest|interest rate|no credit check|bad credit|all credit scores|no collateral|cash advance|working capital|pre-?approved|investors\b|project financing|funding for your
  (?:million|billion) (?:us )?(?:dollars|euros|pounds|usd)|lottery|you have won|inheritance|next of kin|late (?:client|husband|father)|beneficiary|strict confidence|business proposal
  prêts? (?:entre|urgent|rapide|personnel)|crédits? (?:sans|rapide|urgent)|préstamos?|kredit (?:ohne|sofort)|sofortkredit|займ|кредит без|贷款|发票|invertir en`;

const VICE = words`
  (?:online|best|live|play) casino|casino (?:bonus|content|online|games)|(?:free|bonus) spins|jackpot|(?:play|online|free) (?:slots?|poker)|slots? online|(?:sports?|online) betting|betting (?:tips|odds)|(?:deposit|welcome|register) bonus
  viagra|cialis|xanax|tramadol|(?:no|without) prescription|(?:buy|order|cheap|generic) (?:pills|meds)|cbd\b|keto\b|lose (?:weight|\d+ pounds)|weight loss|supplements?\b
  adult (?:dating|content)|hookup|(?:sexy|hot|naked|nude|single|beautiful) (?:girls|women|pictures|photos|pics)|porn|escorts?\b|sex\b|replicas?\b|designer (?:handbags|watches)
  казино|бонус за|ставки на|секс|знакомства|赌场|博彩|娱乐城|freispiele|tragamonedas`;

const SITE = words`
  (?:came across|found|visited|visiting|looking at|looked at|reviewed|checked|noticed|analy[sz]ed|reading|love|enjoyed) (?:reading )?your (?:\w+ )?(?:website|site|domain|blog|page|article|posts)\b
  your (?:website|site|domain) (?:is not|isn['’]t|has|could|deserves|seems|needs)\b|(?:for|to|on) your (?:website|site|blog)\b|great (?:website|site|blog|post)|(?:valuable|useful|informative) (?:information|content|article|post)
  (?:visit|see) (?:my|our) (?:page|site|website)|my (?:homepage|web-?site)\b|(?:through|via) your contact form|contact forms\b|website owners?|(?:companies|businesses|brands) like yours|your competitors|your (?:target audience|brand|niche|industry)
  votre visibilité|votre site|ваш сайт|ihre website`;

const OFFER = words`
  (?:send|see|get|ask for) (?:you )?(?:a |our |the )?price list|(?:competitive|cheapest|lowest|low|best) prices?|affordable|best quality|free (?:\w+ )?(?:audit|quote|mock-?up|proposal|sample|report|comparison|trial|article)|no obligation|money[- ]back|satisfaction guaranteed
  redesign|(?:web|website|logo|app) (?:design|development|designers?|developers?)\b|(?:app|software|ecommerce) (?:services|development)|(?:hire|dedicated) developers|virtual assistants?|outsourc|explainer videos?|chatbot
  (?:e-?mail|contact|updated|mailing) (?:lists?|database)|database of|(?:qualified|more|sales) (?:leads|appointments)|lead generation|decision makers|followers\b|(?:google|trustpilot|5-star) reviews
  we are an? (?:\S+ ){0,4}(?:company|agency|manufacturer|supplier|factory)\b|our (?:seo|packages|portfolio|team of|experts|agency|clients include|service puts)|white[- ]hat|(?:content|freelance) writer|in return\b|years of experience
  (?:see|send you|like) (?:to see )?(?:some |a few )?(?:samples|examples)|help you (?:get|grow|rank|reach|increase)|share more info
  devis gratuit|audit gratuit|création de sites?|diseño web|webdesign|создание (?:и|сайт)|рассылк|база? email|базы|网站建设|优惠|优化`;

const PUSH = words`
  click (?:here|now|below|the link|this link)|(?:buy|order|apply|act|shop|register|join|call|invest) now|(?:order|apply|start|register|sign up|get approved|get started) (?:here|today|now|free)|claim (?:your|now)|don['’]?t miss|check (?:it )?out (?:our|my)
  whats ?app|telegram\b|(?:reply|write|respond|contact me|contact us|send us) (?:now|urgently|yes|with your|your name|for (?:a|more|terms|details)|on |via |by )|just reply|to get started|connect your wallet
  unsubscribe|opt[- ]?out|(?:want|wish) to hear from|contact you again|reply (?:no|stop|with remove)
  (?:only )?(?:today|this week|this month) only|limited (?:time|offer)|promo code|discount until|special (?:offer|price)|earn (?:up to )?\$|make money|on autopilot
  quick call|schedule a call|(?:open to|interested in) a (?:\S+ )?(?:call|chat)|shall i send|may i send|can i send|should i send|kindly
  contactez[- ](?:moi|nous) (?:par|sur|vite)|répondez|escríbanos|jetzt (?:\S+ ){0,4}(?:spielen|beantragen|sichern|kaufen)|заказать|пишите|телеграм|регистраци|微信|注册`;

const THREAT = words`
  (?:expires?|expired) (?:in|today|soon)|has expired|final notice|(?:avoid|be) (?:suspen\w+|removed|sued)|suspended|verify your|confirm your (?:identity|account|data|password|details)|your (?:password|account|mailbox) (?:has|is|was|will|expires)|legal action|within 24 hours or|(?:outstanding|overdue) (?:payment|invoice|balance)|without permission|(?:unusual|suspicious) activity|click (?:here|the link) to (?:keep|renew|verify|confirm|avoid|review)|(?:keep|update) (?:the same|your) password`;

const GREETING = words`
  dear (?:sir|madam|friend|business|website|site|owner|investor|customer|manager|team|beloved|purchasing)|(?:hi|hello|hey) (?:sir|dear|handsome|there team|team)\b|greetings of the day|hope (?:you are doing|you['’]re doing|this (?:e-?mail|message)) |to whom it may|congratulations|attention:`;

const PRICE = words`
  (?:only|just|from|at|for|fee of|starting at|starts at) [$€£] ?\d|\d+ ?[$€£] ?(?:only|per|a month)|[$€£]\d[\d,.]* ?(?:/|per|a|an) ?(?:mo|month|hour|week|day)\b|\d+ ?% (?:off|discount|bonus|safe|win|guaranteed|interest|of interest)|at \d+ ?%|(?:guaranteed|100%) (?:results?|safe|ranking)|\d+x potential|à partir de \d|desde \d|от \d+ руб|\d+ руб`;

/* What somebody says who needs something, and what this business is about. */

const NEED = words`
  when can\b|(?:can|could|would|will|do|does|are|did) (?:you|it|your (?:package|tool|app|\w+ package))\b|how (?:much|long|soon|do i|is this)\b|(?:call|ring|phone) me\b|my (?:shop|boss|crew|husband|wife|staff|business|team)\b
  we(?:['’](?:re|d like|ve))? (?:need|run|use|have|lose|sell|install|keep|rent|lend|make|want|own|moved?)\b|i(?:['’]d like| need| own| run| manage| lose| want| wonder)\b
  (?:nous|notre|nos|pourriez|travaillez|combien|est-ce que|avez-vous)\b|请问|請問|我们|我們|我的|我想|هل|كم|можно|сколько|у нас|tengo|tenemos|trabajan|cuánto|haben wir|können sie|was kostet`;

const TRADE = words`
  stock\b|inventor|warehous|spreadsheet|excel\b|google sheets|workflows?\b|installers?\b|dashboards?\b|skus?\b|blueprint|sops?\b|re-?order|pick(?:ing|ers?)\b|work orders?|crews?\b|dispatch|appsheet|bottleneck|entrepôt|inventaire|chiffrier|库存|庫存|仓库|склад|inventario|repuestos|المخزون|مستودع`;

const LINK = /https?:\/\/[^\s<>"'\])]+|\bwww\.[^\s<>"'\])]+/giu;
const CODED_LINK = /<a\s[^>]{0,40}href|\[(?:url|link)=/iu;
const TAG = /<[^<>]{0,200}>|\[[^[\]]{0,200}\]/gu;
const WORD = /\p{L}[\p{L}\p{M}]*/gu;
/** Cyrillic letters and the Latin ones that they look like. */
const LOOKALIKES = new Map(
  [...'аaеeоoрpсcуyхxіiѕsјjкkмmтtнhвb'.matchAll(/(.)(.)/gu)].map(([, from = '', to = '']) => [from, to]),
);

/** A message as the signs look at it. `text` is name and message, in lower case, with lookalikes in mixed words undone. */
type Read = { name: string; body: string; text: string; bodyWords: number; links: number; mixed: number };

/** Each sign, how the owner is told, and its points for or against a message. */
const SIGNS = {
  trap: { why: 'it fills in a field that people don’t see', points: (_, { trap }) => (trap ? HOLD_AT : 0) },
  fast: {
    why: `it was sent within ${FASTEST_PERSON_MS / 1000} seconds of opening the page`,
    points: (_, { openMs = Infinity }) => (openMs < FASTEST_PERSON_MS ? 1.25 : 0),
  },
  copies: {
    why: 'the same text came several times within an hour',
    points: (_, { sameText = 0 }) => (sameText >= COPIES ? 1.25 : 0),
  },
  learned: {
    why: 'its words are like those of what you marked as spam',
    points: (_, { learned = 0 }) => learned,
  },
  alphabets: {
    why: 'it mixes alphabets within words',
    points: ({ mixed }) => (mixed === 0 ? 0 : mixed < 3 ? 1.5 : 3),
  },
  letters: { why: 'it’s made of random letters', points: ({ body }) => (isRandom(body) ? 2.5 : 0) },
  name: { why: 'its name is made of random letters', points: ({ name }) => (isRandom(name) ? 2 : 0) },
  links: {
    why: 'it has links',
    points: ({ links, text }) =>
      links === 0 ? 0 : (links < 3 ? 1 : 1.5) + (CODED_LINK.test(text) ? 0.5 : 0),
  },
  mostlyLinks: {
    why: 'it says little besides its links',
    points: ({ bodyWords, links }) => (links > 1 && bodyWords < 2 * links ? 3 : 0),
  },
  search: { why: 'it speaks of search ranking, visitors or backlinks', points: found(SEARCH, 2) },
  money: { why: 'it speaks of fast money or loans', points: found(MONEY, 2) },
  vice: { why: 'it speaks of gambling, sex, drugs or fakes', points: found(VICE, 2) },
  site: { why: 'it speaks to owners of websites', points: found(SITE, 1.5) },
  offer: { why: 'it offers services or goods', points: found(OFFER, 1.5) },
  push: { why: 'it presses the reader to click, buy or reply', points: found(PUSH, 1) },
  threat: { why: 'it threatens, or asks to confirm an account', points: found(THREAT, 1.5) },
  greeting: { why: 'it greets nobody in particular', points: found(GREETING, 1) },
  price: { why: 'it has prices as in an advertisement', points: found(PRICE, 1) },
  need: { why: '', points: ({ text }) => -Math.min(2, count(text, NEED)) },
  trade: { why: '', points: ({ text }) => -Math.min(2, count(text, TRADE)) },
} as const satisfies Record<string, { why: string; points: (read: Read, around: Circumstances) => number }>;

export type Sign = keyof typeof SIGNS;
const NAMES = Object.keys(SIGNS) as Sign[];

/** Why a message is held back, for the owner: `it has links, and it speaks of fast money or loans`. */
export function whyHeld(signs: readonly string[]): string {
  // One that's unknown is from a newer version.
  const reasons = signs.map((sign) => (Object.hasOwn(SIGNS, sign) ? SIGNS[sign as Sign].why : sign));
  return new Intl.ListFormat('en-CA').format(reasons);
}

/** The signs of spam for which a message is held back; none if it isn't. Looks at nothing but its arguments. */
export function reasonsToHold(message: ContactMessage, around: Circumstances = {}): Sign[] {
  const read = readMessage(message);
  const all = NAMES.map((sign) => ({ sign, points: SIGNS[sign].points(read, around) }));
  const signs = all.filter(({ points }) => points > 0).map(({ sign }) => sign);
  if (around.trap) return signs;
  const sum = all.reduce((total, { points }) => total + points, 0);
  return sum >= HOLD_AT && signs.length > 1 ? signs : [];
}

/** The same for messages that differ only in names, links and numbers. Undefined if it's too short to say that. */
export function copyKey({ message }: ContactMessage): string | undefined {
  const said = message.replace(LINK, ' ').toLowerCase().match(WORD) ?? [];
  if (said.length < SHORTEST_COPY_WORDS) return undefined;
  return `text ${createHash('sha256').update(said.join(' ')).digest('base64url')}`;
}

function readMessage({ name, message }: ContactMessage): Read {
  const links = new Set([...message.matchAll(LINK)].map(([link]) => link)).size;
  const body = message.replace(LINK, ' ').replace(TAG, ' ');
  let mixed = 0;
  const text = `${name}\n${message}`
    .normalize('NFKC')
    .toLowerCase()
    .replace(WORD, (word) => {
      if (!/[a-z]/.test(word) || !/[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word)) return word;
      mixed += 1;
      return [...word].map((letter) => LOOKALIKES.get(letter) ?? letter).join('');
    });
  return { name, body, text, bodyWords: count(body, WORD), links, mixed };
}

/** `base` points for the first thing it says, and half a point for each other one, up to three of them. */
function found(pattern: RegExp, base: number): (read: Read) => number {
  return ({ text }) => {
    const said = new Set([...text.matchAll(pattern)].map(([words]) => words)).size;
    return said === 0 ? 0 : base + Math.min(3, said - 1) / 2;
  };
}

const count = (text: string, pattern: RegExp): number => (text.match(pattern) ?? []).length;

/** Every longer word has capitals all over it, as in `RtYuIoPlKjHg`. */
function isRandom(text: string): boolean {
  const long = (text.match(WORD) ?? []).filter((word) => word.length > 5);
  return long.length > 0 && long.every((word) => count(word, /\p{Ll}\p{Lu}/gu) > 2);
}
