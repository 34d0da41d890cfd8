import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Match, Observation, Result, Ruleset } from '../src/observation.js';
import { RefereeService } from '../src/proto.js';
import { decision, matchStart, RULESET } from './referee.js';

const { responseSerialize, responseDeserialize } = RefereeService.service.Play;

/** What arrives of a batch that was sent. */
const travelled = (batch) => responseDeserialize(responseSerialize({ batch })).batch;

function observe(sent, start = matchStart(1, 3)) {
  const batch = travelled({ rulesets: [RULESET], matchStarts: [start], decisions: [sent] });
  return new Observation(batch.decisions[0], new Match(batch.matchStarts[0], new Ruleset(batch.rulesets[0])));
}

test('everything has a name', () => {
  const seen = observe(decision(1, 5, { declarer: 0, lastFault: 3 }));
  assert.deepEqual(
    { ...Object.fromEntries(['match', 'number', 'kind', 'deal', 'dealer', 'seat', 'contract', 'declarer'].map((name) => [name, seen[name]])) },
    { match: 1, number: 5, kind: 'play', deal: 3, dealer: 2, seat: 3, contract: 'no_hearts', declarer: 0 },
  );
  assert.deepEqual(seen.hand, [0, 4, 51]);
  assert.equal(seen.handMask, 2251799813685265n);
  assert.deepEqual(seen.legal, [0, 4, 51]);
  assert.deepEqual(seen.trick, [{ card: 30, seat: 1 }, { card: 31, seat: 2 }]);
  assert.deepEqual(seen.history.slice(3), [{ seat: 0, action: 9 }, { seat: 1, action: 30 }, { seat: 2, action: 31 }]);
  assert.deepEqual(seen.tricks, [0, 1, 0, 0]);
  assert.deepEqual(seen.totals, [-20, 0, 40, 0]);
  assert.deepEqual([seen.budgetMs, seen.bankMs, seen.chargedUs, seen.lastFault], [1000, 59_000, 70, 'timeout']);
  assert.equal(seen.seed, 18446744073709551557n);
  assert.deepEqual(seen.players, ['a', 'b', 'c', 'd']);
  assert.equal(seen.ruleset, 'king.fetes');
  assert.deepEqual(seen.options, { first_dealer: 2, ask_forced: false });
  assert.equal(seen.layout, null);
  assert.deepEqual([12, 54].map((action) => seen.text(action)), ['AC', '+3']);
  assert.throws(() => seen.text(52), /52 is no action of king.fetes/);
  assert.throws(() => seen.text(99), /99 is no action/);
});

test('what is left out on the wire reads as zero, empty or null', () => {
  const seen = observe({ match: 1, number: 1, kind: 2, legal: [53] }, { match: 1, ruleset: 1 });
  assert.deepEqual([seen.kind, seen.seat, seen.dealer, seen.contract, seen.declarer, seen.lastFault], ['bid', 0, 0, null, null, null]);
  assert.deepEqual([seen.hand, seen.trick, seen.history, seen.tricks, seen.totals, seen.players], [[], [], [], [], [], []]);
  assert.deepEqual([seen.seed, seen.handMask, seen.bankMs], [0n, 0n, 0]);
});

test('the table of Kings in the Corner', () => {
  const layout = { piles: [{ cards: [8, 20] }, {}, {}, {}, { cards: [11] }, {}, {}, {}], stock: 23, handSizes: [7, 6], turned: [8, 1, 2, 3] };
  const seen = observe(decision(1, 1, { kind: 7, layout }));
  assert.equal(seen.kind, 'turn');
  assert.deepEqual(seen.layout, {
    piles: { N: [8, 20], E: [], S: [], W: [], NE: [11], SE: [], SW: [], NW: [] }, stock: 23, handSizes: [7, 6], turned: [8, 1, 2, 3],
  });
});

test('an observation can be printed', () => {
  const text = inspect(observe(decision(1, 1)));
  assert.match(text, /^Observation \{/);
  assert.match(text, /contract: 'no_hearts'/);
  assert.match(text, /seed: 18446744073709551557n/);
});

test('the end of a match', () => {
  const [end] = travelled({
    matchEnds: [{ match: 1, matchId: 'm-1', totals: [-5, 5], ranks: [2, 1], seed: Buffer.alloc(32, 9), forfeits: [0], faults: [1, 4] }],
  }).matchEnds;
  assert.deepEqual({ ...new Result(end) }, {
    matchId: 'm-1', totals: [-5, 5], ranks: [2, 1], seed: Buffer.alloc(32, 9), forfeits: [0], faults: ['illegal', 'disconnect'], isVoid: false,
  });
  const [empty] = travelled({ matchEnds: [{ match: 1, isVoid: true }] }).matchEnds;
  assert.deepEqual({ ...new Result(empty) }, {
    matchId: '', totals: [], ranks: [], seed: Buffer.alloc(0), forfeits: [], faults: [], isVoid: true,
  });
});
