// What a bot is told, in one line of text that is the same in every language's SDK.

/** @typedef {import('./observation.js').Observation} Observation */
/** @typedef {import('./observation.js').Move} Move */
/** @typedef {import('./observation.js').Layout} Layout */

/** A space before each thing. @param {Iterable<unknown>} things */
const list = (things) => Array.from(things, (thing) => ` ${thing}`).join('');

/** @param {Uint8Array} bytes */
const hex = (bytes) => Buffer.from(bytes).toString('hex') || '-';

/** A decision. @param {Observation} seen */
export function observationText(seen) {
  /** @param {readonly number[]} actions */
  const names = (actions) => actions.map((action) => seen.nameOf(action));
  /** @param {readonly Move[]} moves */
  const moves = (moves) => moves.map(({ seat, action }) => `${seat}:${seen.nameOf(action)}`);
  /** @param {Layout} layout */
  const table = ({ piles, stock, handSizes, turned }) => {
    const places = Object.entries(piles).map(([place, cards]) => `${place}=${names(cards).join(',')} `).join('');
    return `${places}stock ${stock} hands${list(handSizes)} turned${list(names(turned))}`;
  };
  const options = Object.entries(seen.options).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    seen.ruleset + list(options.map(([name, value]) => `${name}=${JSON.stringify(value)}`)),
    `match ${seen.match} of ${seen.players.join(',')} seat ${seen.seat}`,
    `decision ${seen.number} ${seen.kind}`,
    `deal ${seen.deal} dealer ${seen.dealer} contract ${seen.contract ?? '-'} declarer ${seen.declarer ?? '-'}`,
    `hand${list(names(seen.hand))}`,
    `trick${list(moves(seen.trick.map(({ card, seat }) => ({ seat, action: card }))))}`,
    `history${list(moves(seen.history))}`,
    `tricks${list(seen.tricks)}`,
    `totals${list(seen.totals)}`,
    `layout ${seen.layout ? table(seen.layout) : '-'}`,
    `time ${seen.budgetMs} ${seen.bankMs} ${seen.chargedUs}`,
    `fault ${seen.lastFault ?? '-'}`,
    `seed ${seen.seed}`,
    `legal${list(names(seen.legal))}`,
  ].join('; ');
}

/** The start of a match. @param {import('./observation.js').Match} match */
export function matchText({ number, ruleset, players, seat, commitment, budgetMs, bankMs, maxFaults }) {
  return `match ${number} ${ruleset.id} version ${ruleset.version} of ${players.join(',')} seat ${seat} commitment ${hex(commitment)} `
    + `time ${budgetMs} ${bankMs} faults ${maxFaults}`;
}

/** The end of a match. @param {import('./observation.js').Result} result */
export function resultText({ matchId, totals, ranks, seed, forfeits, faults, isVoid }) {
  return `result ${matchId || '-'} totals${list(totals)} ranks${list(ranks)} seed ${hex(seed)} forfeits${list(forfeits)}`
    + ` faults${list(faults)} void ${isVoid ? 'yes' : 'no'}`;
}
