// The bot's side of the conversation with the referee.

import { Metadata, status } from '@grpc/grpc-js';
import { Match, Observation, Result, Ruleset } from './observation.js';
import { RefereeService } from './proto.js';
import { channelCredentials, channelOptions, ConnectionError, find } from './seat.js';

export { Observation } from './observation.js';
export { ConnectionError } from './seat.js';

const VERSION = 1;
const SDK = 'kingmaker-node/1';
const FAREWELL_MS = 1000; // of the two seconds that a process has after the goodbye
const CONNECT_MS = 10_000;
const SEEK_MS = 60_000; // how long a remote referee that was lost is looked for

/**
 * A bot has `decide` or `decideBatch`, which return an action or a list of actions, or a promise of it.
 *
 * @typedef {object} Bot
 * @property {string} [name] for logs
 * @property {(observation: Observation, legal: readonly number[]) => number | Promise<number>} [decide] returns one of `legal`
 * @property {(observations: readonly Observation[]) => readonly number[] | Promise<readonly number[]>} [decideBatch]
 *   returns an action for each observation, in their order
 * @property {(match: Match) => void | Promise<void>} [matchStart]
 * @property {(match: Match, result: Result) => void | Promise<void>} [matchEnd]
 */

/** @typedef {import('./seat.js').Options} Options */

/**
 * Play until the referee says goodbye or ends the stream.
 *
 * Without `address` the folder named by KINGMAKER_SEAT (default /ref) says where the referee is: its socket `ref.sock`
 * or a file `address`, the file `token`, and `roots.pem` where the certificate is signed by an authority of its own.
 * A remote referee that is lost is looked for again for a minute; it then asks again what was not answered.
 *
 * A lost connection is told on stderr and makes the process end with status 1; what the bot throws is thrown on.
 *
 * @param {Bot} bot
 * @param {Options} [options]
 */
export async function play(bot, options = {}) {
  try {
    const place = find(options);
    for (let connectMs = options.connectMs ?? CONNECT_MS; ; connectMs = SEEK_MS) {
      try {
        return await converse(bot, { ...place, connectMs });
      } catch (error) {
        if (!(error instanceof ConnectionError && error.isLost && place.isRemote)) throw error;
        console.error(`kingmaker: ${error.message}; looking for it`);
      }
    }
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    console.error(`kingmaker: ${error.message}`);
    process.exitCode = 1;
  }
}

/**
 * One conversation; it throws a ConnectionError where `play` ends the process or tries again.
 *
 * @param {Bot} bot
 * @param {Options & { address: string }} options
 */
export async function converse(bot, { address, token, tls, roots, connectMs = CONNECT_MS }) {
  const answer = answerer(bot);
  const client = new RefereeService(address, channelCredentials(address, tls, roots), channelOptions(address));
  try {
    await connected(client, address, connectMs);
    await talk(bot, answer, client.Play(tokenMetadata(token)), address);
  } finally {
    client.close();
  }
}

/** @typedef {(decisions: readonly DecisionMessage[], matches: Map<number, Match>) => Promise<object[]>} Answerer */
/** @typedef {import('./observation.js').DecisionMessage} DecisionMessage */
/** @typedef {import('../build/types/referee/v1/PlayRequest.js').PlayRequest} PlayRequest */
/** @typedef {import('../build/types/referee/v1/PlayResponse.js').PlayResponse__Output} PlayResponse */

/**
 * @param {Bot} bot
 * @param {Answerer} answer
 * @param {import('@grpc/grpc-js').ClientDuplexStream<PlayRequest, PlayResponse>} call
 * @param {string} address
 */
async function talk(bot, answer, call, address) {
  /** @type {Map<number, Ruleset>} */
  const rulesets = new Map();
  /** @type {Map<number, Match>} */
  const matches = new Map();
  /** @type {any} */
  let lost = null;
  let greeted = false;
  /** @type {NodeJS.Timeout | undefined} */
  let farewell;
  call.on('error', (error) => { lost = error; });
  call.write({ hello: { minVersion: VERSION, maxVersion: VERSION, name: bot.name ?? '', sdk: SDK } });
  try {
    for await (const message of call) {
      const { welcome, batch, goodbye } = /** @type {PlayResponse} */ (message);
      if (welcome) greeted = true;
      if (batch) {
        for (const info of batch.rulesets ?? []) rulesets.set(info.ruleset ?? 0, new Ruleset(info));
        for (const start of batch.matchStarts ?? []) {
          const match = new Match(start, known(rulesets, start.ruleset));
          matches.set(match.number, match);
          await bot.matchStart?.(match);
        }
        // The referee asks no more than it can take, so nothing piles up here: no need to wait for a drain.
        if (batch.decisions) call.write({ answers: { answers: await answer(batch.decisions, matches) } });
        for (const end of batch.matchEnds ?? []) {
          const match = known(matches, end.match);
          matches.delete(match.number);
          await bot.matchEnd?.(match, new Result(end));
        }
      }
      if (goodbye) {
        call.end();
        farewell ??= setTimeout(() => call.cancel(), FAREWELL_MS);
      }
    }
  } catch (error) {
    if (error !== lost) throw error;
    if (!farewell) throw gone(lost, address, greeted);
  } finally {
    clearTimeout(farewell);
    call.end();
    call.cancel(); // does nothing to a call that is over
  }
}

/** @param {import('@grpc/grpc-js').ServiceError} error @param {string} address @param {boolean} greeted */
function gone({ code, details }, address, greeted) {
  if (code === status.UNAVAILABLE) return new ConnectionError(`the connection to the referee at ${address} is lost: ${details}`, greeted);
  return new ConnectionError(`the referee is gone: ${status[code]}: ${details}`);
}

/** The function that turns decisions into answers by asking the bot. @param {Bot} bot @returns {Answerer} */
function answerer(bot) {
  const { decide, decideBatch } = bot;
  if (typeof decideBatch !== 'function' && typeof decide !== 'function') throw new TypeError('a bot needs decide(observation, legal) or decideBatch(observations)');
  /** @param {readonly Observation[]} observations */
  const each = (observations) => {
    const actions = observations.map((observation) => decide?.call(bot, observation, observation.legal));
    const asked = actions.some((action) => action instanceof Promise) ? Promise.all(actions) : actions;
    return /** @type {readonly number[] | Promise<readonly number[]>} */ (asked); // `checked` looks at what they are
  };
  return async (decisions, matches) => {
    const observations = decisions.map((decision) => new Observation(decision, known(matches, decision.match)));
    const actions = await (decideBatch ? decideBatch.call(bot, observations) : each(observations));
    if (actions?.length !== decisions.length) throw new TypeError(`decideBatch returned ${actions?.length} actions for ${decisions.length} observations`);
    return decisions.map(({ match, number, legal }, i) => ({ match, number, action: checked(actions[i], legal ?? []) }));
  };
}

/** @template T @param {Map<number, T>} things @param {number} [number] */
function known(things, number = 0) {
  const thing = things.get(number);
  if (thing === undefined) throw new ConnectionError(`the referee speaks of number ${number}, which it has not introduced`);
  return thing;
}

/** What would not travel as a number is the bot's error; whether the number is legal is for the referee to say. @param {unknown} action @param {number[]} legal */
function checked(action, legal) {
  if (typeof action === 'number' && Number.isInteger(action) && action >= 0) return action;
  throw new TypeError(`the bot answered ${String(action)}, which is no action; legal: ${legal.join(' ')}`);
}

/** @param {string} [token] */
function tokenMetadata(token) {
  const metadata = new Metadata();
  if (token) metadata.set('kingmaker-token', token);
  return metadata;
}

/** @param {import('@grpc/grpc-js').Client} client @param {string} address @param {number} ms @returns {Promise<void>} */
function connected(client, address, ms) {
  return new Promise((resolve, reject) => {
    /** @param {Error} [error] */
    const done = (error) => (error ? reject(new ConnectionError(`no referee at ${address} within ${ms / 1000} s`)) : resolve());
    client.waitForReady(Date.now() + ms, done);
  });
}
