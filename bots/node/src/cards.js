// Cards are the numbers 13 * suit + rank; sets of cards are masks (BigInt, bit c is card c).

const SUITS = 'CDHS';
const RANKS = '23456789TJQKA';
const TEXTS = Object.freeze(Array.from({ length: 52 }, (_, card) => RANKS[card % 13] + SUITS[Math.floor(card / 13)]));
const NUMBERS = new Map(TEXTS.map((text, card) => [text, card]));

/** The suit of a card: C=0 D=1 H=2 S=3. @param {number} card */
export const suitOf = (card) => Math.floor(card / 13);

/** The rank of a card: 2=0 to A=12. @param {number} card */
export const rankOf = (card) => card % 13;

/** The text of a card: 51 is "AS". @param {number} card */
export function cardText(card) {
  const text = TEXTS[card];
  if (text === undefined) throw new RangeError(`${card} is no card: cards are 0 to 51`);
  return text;
}

/** The number of a card: "AS" is 51. @param {string} text */
export function cardNumber(text) {
  const card = NUMBERS.get(text);
  if (card === undefined) throw new RangeError(`${text} is no card: a rank of ${RANKS} and a suit of ${SUITS}, such as KH`);
  return card;
}

/** The cards of a mask in ascending order; the mask is a BigInt. @param {bigint} mask */
export const maskCards = (mask) => halvesCards(Number(mask & 0xffffffffn), Number(mask >> 32n));

/** The mask of some cards. @param {Iterable<number>} cards */
export function cardsMask(cards) {
  let low = 0;
  let high = 0;
  for (const card of cards) {
    cardText(card);
    if (card < 32) low |= 1 << card;
    else high |= 1 << (card - 32);
  }
  return halvesBigInt(low, high);
}

/** The cards of a mask given as its lower and upper 32 bits: exact, and quicker than a BigInt. @param {number} low @param {number} high */
export function halvesCards(low, high) {
  /** @type {number[]} */
  const cards = [];
  for (let bits = low; bits !== 0; bits &= bits - 1) cards.push(31 - Math.clz32(bits & -bits));
  for (let bits = high; bits !== 0; bits &= bits - 1) cards.push(63 - Math.clz32(bits & -bits));
  return cards;
}

/** A number of 64 bits without sign, given as its lower and upper 32 bits. @param {number} low @param {number} high */
export const halvesBigInt = (low, high) => (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
