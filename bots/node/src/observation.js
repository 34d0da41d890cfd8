// What a bot sees: a decision of the referee under names that a bot author would look for.

import { inspect } from 'node:util';
import { halvesBigInt, halvesCards } from './cards.js';
import { matchText, observationText, resultText } from './words.js';

/** @typedef {'play' | 'bid' | 'answer' | 'reply' | 'choose' | 'claim' | 'turn' | 'unknown'} Kind */
/** @typedef {'illegal' | 'malformed' | 'timeout' | 'disconnect' | 'unknown'} Fault */
/** @typedef {{ seat: number, action: number }} Move */
/** @typedef {{ seat: number, card: number }} Played */
/** @typedef {(typeof PLACES)[number]} Place */
/** @typedef {{ piles: Record<Place, readonly number[]>, stock: number, handSizes: readonly number[], turned: readonly number[] }} Layout */
/** @typedef {import('../build/types/referee/v1/Decision.js').Decision__Output} DecisionMessage */
/** @typedef {import('../build/types/referee/v1/MatchEnd.js').MatchEnd__Output} MatchEndMessage */
/** @typedef {import('../build/types/referee/v1/MatchStart.js').MatchStart__Output} MatchStartMessage */
/** @typedef {import('../build/types/referee/v1/RulesetInfo.js').RulesetInfo__Output} RulesetMessage */

/** @type {readonly Kind[]} */
const KINDS = ['unknown', 'play', 'bid', 'answer', 'reply', 'choose', 'claim', 'turn'];
/** @type {readonly Fault[]} */
const FAULTS = ['unknown', 'illegal', 'malformed', 'timeout', 'disconnect'];
/** The piles of Kings in the Corner, in the order of the messages. */
export const PLACES = /** @type {const} */ (['N', 'E', 'S', 'W', 'NE', 'SE', 'SW', 'NW']);
/** @type {readonly any[]} */
const NONE = Object.freeze([]);
const ZERO = Object.freeze({ low: 0, high: 0 });

/** @param {number} fault @returns {Fault} */
const faultText = (fault) => FAULTS[fault] ?? 'unknown';

/** The words behind a ruleset's numbers, from its RulesetInfo. */
export class Ruleset {
  /** @param {RulesetMessage} info */
  constructor(info) {
    this.id = info.id ?? '';
    this.version = info.version ?? 0;
    this.players = info.players ?? 0;
    /** @type {Readonly<Record<string, any>>} */
    this.options = Object.freeze(Object.fromEntries((info.options ?? []).map(({ name = '', value = 'null' }) => [name, JSON.parse(value)])));
    /** The text of each action by its number. @type {readonly string[]} */
    this.actions = info.actions ?? NONE;
    /** @type {readonly string[]} */
    this.contracts = info.contracts ?? NONE;
    /** The number of each action by its text. @type {ReadonlyMap<string, number>} */
    this.numbers = new Map(this.actions.map((text, number) => /** @type {const} */ ([text, number])).filter(([text]) => text));
  }
}

/** A match as this seat knows it from its MatchStart. */
export class Match {
  /** @param {MatchStartMessage} start @param {Ruleset} ruleset */
  constructor(start, ruleset) {
    this.number = start.match ?? 0;
    this.ruleset = ruleset;
    this.seat = start.seat ?? 0;
    /** The names by seat. @type {readonly string[]} */
    this.players = start.players ?? NONE;
    this.commitment = start.commitment ?? Buffer.alloc(0);
    this.budgetMs = start.budgetMs ?? 0;
    this.bankMs = start.bankMs ?? 0;
    this.maxFaults = start.maxFaults ?? 0;
  }

  toString() { return matchText(this); }
}

/** How a match ended, from its MatchEnd. `seed` has 32 bytes, none when the match is void. */
export class Result {
  /** @param {MatchEndMessage} end */
  constructor(end) {
    this.matchId = end.matchId ?? '';
    /** By seat. @type {readonly number[]} */
    this.totals = end.totals ?? NONE;
    /** By seat. @type {readonly number[]} */
    this.ranks = end.ranks ?? NONE;
    this.seed = end.seed ?? Buffer.alloc(0);
    /** Seats. @type {readonly number[]} */
    this.forfeits = end.forfeits ?? NONE;
    /** Of this seat. @type {readonly Fault[]} */
    this.faults = (end.faults ?? []).map(faultText);
    this.isVoid = end.isVoid ?? false;
  }

  toString() { return resultText(this); }
}

/** One decision with all that its seat may know. What costs time is worked out when it is asked for. */
export class Observation {
  #decision;
  #match;
  /** @type {readonly number[] | undefined} */
  #hand;
  /** @type {readonly Played[] | undefined} */
  #trick;
  /** @type {readonly Move[] | undefined} */
  #history;
  /** @type {Layout | undefined} */
  #layout;

  /** @param {DecisionMessage} decision @param {Match} match */
  constructor(decision, match) {
    this.#decision = decision;
    this.#match = match;
  }

  /** The match's number on this stream: the key under which a bot may keep what it remembers. */
  get match() { return this.#match.number; }

  /** Counts the decisions of this seat in the match, from 1. */
  get number() { return this.#decision.number ?? 0; }

  /** "play", "bid", "answer", "reply", "choose", "claim" or "turn". @returns {Kind} */
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

  /** The legal actions, ascending; never empty. @returns {readonly number[]} */
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

  /** Tricks taken in this deal, by seat; empty where no tricks are played. @returns {readonly number[]} */
  get tricks() { return this.#decision.tricks ?? NONE; }

  /** Points before this deal, by seat. @returns {readonly number[]} */
  get totals() { return this.#decision.totals ?? NONE; }

  /** Time for this decision before the bank is touched, in milliseconds. */
  get budgetMs() { return this.#decision.budgetMs ?? 0; }

  /** What is left of the match's bank, in milliseconds. */
  get bankMs() { return this.#decision.bankMs ?? 0; }

  /** What the previous decision was charged, in microseconds. */
  get chargedUs() { return this.#decision.chargedUs ?? 0; }

  /** The fault at the previous decision ("illegal", "timeout", …), null for none. */
  get lastFault() { return this.#decision.lastFault ? faultText(this.#decision.lastFault) : null; }

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

  /** Kings in the Corner: { piles: { N: [cards], … }, stock, handSizes, turned }; null in trick games. @returns {Layout | null} */
  get layout() {
    const { layout } = this.#decision;
    if (!layout) return null;
    return (this.#layout ??= {
      piles: /** @type {Layout['piles']} */ (Object.fromEntries(PLACES.map((place, i) => [place, layout.piles?.[i]?.cards ?? NONE]))),
      stock: layout.stock ?? 0,
      handSizes: layout.handSizes ?? NONE,
      turned: layout.turned ?? NONE,
    });
  }

  /** The text of an action: "KH", "+3", "trump:S:self", "move:E:N". @param {number} action */
  text(action) {
    const text = this.#match.ruleset.actions[action];
    if (!text) throw new RangeError(`${action} is no action of ${this.ruleset}`);
    return text;
  }

  /** The number of an action from its text. @param {string} text */
  action(text) {
    const action = this.#match.ruleset.numbers.get(text);
    if (action === undefined) throw new RangeError(`${text} is no action of ${this.ruleset}`);
    return action;
  }

  /** The text of an action, or its number where the ruleset has no text for it. @param {number} action */
  nameOf(action) { return this.#match.ruleset.actions[action] || String(action); }

  /** Everything in one line, the same in every language's SDK. */
  toString() { return observationText(this); }

  /** @param {number} depth @param {import('node:util').InspectOptions} options */
  [inspect.custom](depth, options) {
    const names = Object.entries(Object.getOwnPropertyDescriptors(Observation.prototype)).filter(([, { get }]) => get);
    return `Observation ${inspect(Object.fromEntries(names.map(([name, { get }]) => [name, get?.call(this)])), options)}`;
  }
}
