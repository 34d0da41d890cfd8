// What a bot sees: a decision of the referee under names that a bot author would look for.

import { inspect } from 'node:util';
import { halvesBigInt, halvesCards } from './cards.js';

const KINDS = [null, 'play', 'bid', 'answer', 'reply', 'choose', 'claim', 'turn'];
const FAULTS = [null, 'illegal', 'malformed', 'timeout', 'disconnect'];
const PLACES = ['N', 'E', 'S', 'W', 'NE', 'SE', 'SW', 'NW'];
const NONE = Object.freeze([]);
const ZERO = Object.freeze({ low: 0, high: 0 });

/** The text of a fault, null for none. */
export const faultText = (fault) => (fault ? FAULTS[fault] ?? 'unknown' : null);

/** The words behind a ruleset's numbers, from its RulesetInfo. */
export class Ruleset {
  constructor(info) {
    this.id = info.id;
    this.version = info.version ?? 0;
    this.players = info.players;
    this.options = Object.freeze(Object.fromEntries((info.options ?? NONE).map(({ name, value }) => [name, JSON.parse(value)])));
    this.actions = info.actions ?? NONE;
    this.contracts = info.contracts ?? NONE;
  }
}

/** A match as this seat knows it from its MatchStart. */
export class Match {
  constructor(start, ruleset) {
    this.number = start.match;
    this.ruleset = ruleset;
    this.seat = start.seat ?? 0;
    this.players = start.players ?? NONE;
    this.commitment = start.commitment ?? Buffer.alloc(0);
    this.budgetMs = start.budgetMs ?? 0;
    this.bankMs = start.bankMs ?? 0;
    this.maxFaults = start.maxFaults ?? 0;
  }
}

/** How a match ended, from its MatchEnd. `seed` has 32 bytes, none when the match is void. */
export class Result {
  constructor(end) {
    this.matchId = end.matchId ?? '';
    this.totals = end.totals ?? NONE;
    this.ranks = end.ranks ?? NONE;
    this.seed = end.seed ?? Buffer.alloc(0);
    this.forfeits = end.forfeits ?? NONE;
    this.faults = (end.faults ?? NONE).map(faultText);
    this.isVoid = end.isVoid ?? false;
  }
}

/** One decision with all that its seat may know. What costs time is worked out when it is asked for. */
export class Observation {
  #decision;
  #match;
  #hand;
  #trick;
  #history;
  #layout;

  constructor(decision, match) {
    this.#decision = decision;
    this.#match = match;
  }

  /** The match's number on this stream: the key under which a bot may keep what it remembers. */
  get match() { return this.#match.number; }

  /** Counts the decisions of this seat in the match, from 1. */
  get number() { return this.#decision.number; }

  /** "play", "bid", "answer", "reply", "choose", "claim" or "turn". */
  get kind() { return KINDS[this.#decision.kind ?? 0] ?? 'unknown'; }

  /** The deal's number in the match, from 1. */
  get deal() { return this.#decision.deal ?? 0; }

  /** The seat that dealt. */
  get dealer() { return this.#decision.dealer ?? 0; }

  /** The bot's own seat. */
  get seat() { return this.#match.seat; }

  /** The cards in hand, ascending. */
  get hand() {
    const { low, high } = this.#decision.hand ?? ZERO;
    return (this.#hand ??= halvesCards(low, high));
  }

  /** The cards in hand as a mask (BigInt). */
  get handMask() {
    const { low, high } = this.#decision.hand ?? ZERO;
    return halvesBigInt(low, high);
  }

  /** The legal actions, ascending; never empty. */
  get legal() { return this.#decision.legal ?? NONE; }

  /** The contract's name, null until it is known. */
  get contract() { return this.#match.ruleset.contracts[(this.#decision.contract ?? 0) - 1] ?? null; }

  /** The seat that plays the deal, null where nobody does or it is not yet known. */
  get declarer() { return this.#decision.declarer ?? null; }

  /** The cards on the table in order: [{ card, seat }]; empty when leading. */
  get trick() {
    const { actions = NONE, seats = NONE, trickSize = 0 } = this.#decision;
    const first = actions.length - trickSize;
    return (this.#trick ??= Array.from({ length: trickSize }, (_, i) => ({ card: actions[first + i], seat: seats[first + i] })));
  }

  /** All actions of the deal that every seat saw, in order: [{ seat, action }]. */
  get history() {
    const { actions = NONE, seats = NONE } = this.#decision;
    return (this.#history ??= actions.map((action, i) => ({ seat: seats[i], action })));
  }

  /** Tricks taken in this deal, by seat; empty where no tricks are played. */
  get tricks() { return this.#decision.tricks ?? NONE; }

  /** Points before this deal, by seat. */
  get totals() { return this.#decision.totals ?? NONE; }

  /** Time for this decision before the bank is touched, in milliseconds. */
  get budgetMs() { return this.#decision.budgetMs ?? 0; }

  /** What is left of the match's bank, in milliseconds. */
  get bankMs() { return this.#decision.bankMs ?? 0; }

  /** What the previous decision was charged, in microseconds. */
  get chargedUs() { return this.#decision.chargedUs ?? 0; }

  /** The fault at the previous decision ("illegal", "timeout", …), null for none. */
  get lastFault() { return faultText(this.#decision.lastFault); }

  /** A fresh seed of 64 bits for the bot's own randomness (BigInt). */
  get seed() {
    const { low, high } = this.#decision.seed ?? ZERO;
    return halvesBigInt(low, high);
  }

  /** The names at the table, by seat. */
  get players() { return this.#match.players; }

  /** The ruleset's id, such as "king.fetes". */
  get ruleset() { return this.#match.ruleset.id; }

  /** The ruleset's options by name, defaults included. */
  get options() { return this.#match.ruleset.options; }

  /** Kings in the Corner: { piles: { N: [cards], … }, stock, handSizes, turned }; null in trick games. */
  get layout() {
    const { layout } = this.#decision;
    if (!layout) return null;
    const pile = (i) => layout.piles?.[i]?.cards ?? NONE;
    return (this.#layout ??= {
      piles: Object.fromEntries(PLACES.map((place, i) => [place, pile(i)])),
      stock: layout.stock ?? 0,
      handSizes: layout.handSizes ?? NONE,
      turned: layout.turned ?? NONE,
    });
  }

  /** The text of an action: "KH", "+3", "trump:S:self", "move:E:N". */
  text(action) {
    const text = this.#match.ruleset.actions[action];
    if (!text) throw new RangeError(`${action} is no action of ${this.ruleset}`);
    return text;
  }

  [inspect.custom](depth, options) {
    const names = Object.entries(Object.getOwnPropertyDescriptors(Observation.prototype)).filter(([, { get }]) => get);
    return `Observation ${inspect(Object.fromEntries(names.map(([name]) => [name, this[name]])), options)}`;
  }
}
