import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardNumber, cardsMask, cardText, halvesBigInt, halvesCards, maskCards, rankOf, suitOf } from '../src/cards.js';

test('cards are numbered 13 * suit + rank', () => {
  assert.deepEqual(['2C', 'AC', '2D', 'KH', 'AS'].map(cardNumber), [0, 12, 13, 37, 51]);
  for (let card = 0; card < 52; card += 1) {
    assert.equal(cardNumber(cardText(card)), card);
    assert.equal(13 * suitOf(card) + rankOf(card), card);
  }
});

test('what is no card is told', () => {
  assert.throws(() => cardNumber('10H'), /10H is no card/);
  assert.throws(() => cardText(52), /52 is no card/);
  assert.throws(() => cardsMask([0, 60]), /60 is no card/);
});

test('a mask holds each card exactly', () => {
  for (let card = 0; card < 52; card += 1) {
    assert.equal(cardsMask([card]), 1n << BigInt(card));
    assert.deepEqual(maskCards(1n << BigInt(card)), [card]);
  }
  const all = Array.from({ length: 52 }, (_, card) => card);
  assert.equal(cardsMask(all), (1n << 52n) - 1n);
  assert.deepEqual(maskCards((1n << 52n) - 1n), all);
  assert.deepEqual(maskCards(0n), []);
  assert.equal(cardsMask([]), 0n);
});

test('halves keep all 64 bits, whatever their sign', () => {
  assert.equal(halvesBigInt(-1, -1), (1n << 64n) - 1n);
  assert.equal(halvesBigInt(-59, -1), 18446744073709551557n);
  assert.deepEqual(halvesCards(1 << 31, -1).slice(0, 2), [31, 32]);
  assert.equal(halvesCards(-1, -1).length, 64);
});
