// What it does depends on every word that it is told: the conformance transcripts check by it that nothing is misread.
//
// Each text is hashed by FNV-1a of 64 bits, and that of a decision begins with the hash of what was heard of matches;
// the answer is the legal action at this number modulo their count. With KINGMAKER_WITNESS set it prints what it hears.
// First of all it checks the helpers for cards.
import assert from 'node:assert/strict';
import { cardNumber, cardsMask, cardText, maskCards, play, rankOf, suitOf } from './src/index.js';

let heard = 0xcbf29ce484222325n;

/** @param {{ toString(): string }} told */
function listen(told) {
  const text = told.toString();
  if ('KINGMAKER_WITNESS' in process.env) console.error(text);
  let hash = heard;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

const all = Array.from({ length: 52 }, (_, card) => card);
assert.deepEqual(all.map((card) => cardNumber(cardText(card))), all);
assert.deepEqual([cardText(0), cardText(51), suitOf(51), rankOf(51)], ['2C', 'AS', 3, 12]);
assert.deepEqual(maskCards(cardsMask(all)), all);

await play({
  name: 'witness',
  matchStart(match) { heard = listen(match); },
  decide: (observation, legal) => legal[Number(listen(observation) % BigInt(legal.length))],
  matchEnd(match, result) { heard = listen(result); },
});
