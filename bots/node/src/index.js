// All that a bot author needs.
export * from './cards.js';
export { ConnectionError, play } from './client.js';
export { Match, Observation, PLACES, Result, Ruleset } from './observation.js';

/** @typedef {import('./client.js').Bot} Bot */
/** @typedef {import('./client.js').Options} Options */
/** @typedef {import('./observation.js').Kind} Kind */
/** @typedef {import('./observation.js').Fault} Fault */
/** @typedef {import('./observation.js').Layout} Layout */
/** @typedef {import('./observation.js').Move} Move */
/** @typedef {import('./observation.js').Played} Played */
