// The bot's side of the conversation with the referee.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentials, Metadata, status } from '@grpc/grpc-js';
import { Match, Observation, Result, Ruleset } from './observation.js';
import { RefereeService } from './proto.js';

export { Observation } from './observation.js';

const VERSION = 1;
const SDK = 'kingmaker-node/1';
const FAREWELL_MS = 1000; // of the two seconds that a process has after the goodbye

/** The referee cannot be reached, refused the bot, or is gone. */
export class ConnectionError extends Error {}

/**
 * Play until the referee says goodbye or ends the stream.
 *
 * `bot` has `decide(observation, legal)` or `decideBatch(observations)`, which return an action or a list of actions,
 * or a promise of it, and may have a `name` and `matchEnd(match, result)`.
 *
 * Without `address` the folder named by KINGMAKER_SEAT (default /ref) holds the socket `ref.sock` and the file `token`.
 * An address is "host:port" or "unix:PATH". `tls: true` encrypts; a host other than this machine needs it.
 *
 * A lost connection is told on stderr and makes the process end with status 1; what the bot throws is thrown on.
 */
export async function play(bot, { address, token, tls, connectMs = 10_000 } = {}) {
  try {
    await converse(bot, { ...(address === undefined ? seat() : { address, token }), tls, connectMs });
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    console.error(`kingmaker: ${error.message}`);
    process.exitCode = 1;
  }
}

/** The same, but throws a ConnectionError where `play` ends the process. */
export async function converse(bot, { address, token, tls, connectMs = 10_000 }) {
  const answer = answerer(bot);
  const client = new RefereeService(address, channelCredentials(address, tls), channelOptions(address));
  try {
    await connected(client, address, connectMs);
    await talk(bot, answer, client.Play(tokenMetadata(token)));
  } finally {
    client.close();
  }
}

async function talk(bot, answer, call) {
  const rulesets = new Map();
  const matches = new Map();
  let lost = null;
  let farewell = null;
  call.on('error', (error) => { lost = error; });
  call.write({ hello: { minVersion: VERSION, maxVersion: VERSION, name: bot.name ?? '', sdk: SDK } });
  try {
    for await (const { batch, goodbye } of call) {
      if (batch) {
        for (const info of batch.rulesets ?? []) rulesets.set(info.ruleset, new Ruleset(info));
        for (const start of batch.matchStarts ?? []) matches.set(start.match, new Match(start, known(rulesets, start.ruleset)));
        // The referee asks no more than it can take, so nothing piles up here: no need to wait for a drain.
        if (batch.decisions) call.write({ answers: { answers: await answer(batch.decisions, matches) } });
        for (const end of batch.matchEnds ?? []) {
          const match = known(matches, end.match);
          matches.delete(end.match);
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
    if (!farewell) throw new ConnectionError(`the referee is gone: ${status[error.code]}: ${error.details}`);
  } finally {
    clearTimeout(farewell);
    call.end();
    call.cancel(); // does nothing to a call that is over
  }
}

/** The function that turns decisions into answers by asking the bot. */
function answerer(bot) {
  const all = typeof bot.decideBatch === 'function';
  if (!all && typeof bot.decide !== 'function') throw new TypeError('a bot needs decide(observation, legal) or decideBatch(observations)');
  return async (decisions, matches) => {
    const observations = decisions.map((decision) => new Observation(decision, known(matches, decision.match)));
    let actions = all ? await bot.decideBatch(observations) : observations.map((observation) => bot.decide(observation, observation.legal));
    if (!all && actions.some((action) => action instanceof Promise)) actions = await Promise.all(actions);
    if (actions?.length !== decisions.length) throw new TypeError(`decideBatch returned ${actions?.length} actions for ${decisions.length} observations`);
    return decisions.map(({ match, number, legal }, i) => ({ match, number, action: checked(actions[i], legal) }));
  };
}

function known(things, number) {
  const thing = things.get(number);
  if (thing === undefined) throw new ConnectionError(`the referee speaks of number ${number}, which it has not introduced`);
  return thing;
}

/** What would not travel as a number is the bot's error; whether the number is legal is for the referee to say. */
function checked(action, legal) {
  if (Number.isInteger(action) && action >= 0) return action;
  throw new TypeError(`the bot answered ${String(action)}, which is no action; legal: ${legal.join(' ')}`);
}

function seat() {
  const folder = process.env.KINGMAKER_SEAT || '/ref';
  try {
    return { address: `unix:${join(folder, 'ref.sock')}`, token: readFileSync(join(folder, 'token'), 'utf8').trim() };
  } catch (error) {
    throw new ConnectionError(`no seat in ${folder} (${error.code}): KINGMAKER_SEAT names the folder with ref.sock and token`);
  }
}

function tokenMetadata(token) {
  const metadata = new Metadata();
  if (token) metadata.set('kingmaker-token', token);
  return metadata;
}

const isUnix = (address) => address.startsWith('unix:');
const isHere = (address) => isUnix(address) || /^(dns:|ipv[46]:)?\/*(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(address);

function channelCredentials(address, tls) {
  if (tls) return credentials.createSsl();
  if (tls === undefined && !isHere(address)) throw new ConnectionError(`${address} is another machine: say tls: true, or tls: false to send the token in the clear`);
  return credentials.createInsecure();
}

function channelOptions(address) {
  const alive = { 'grpc.keepalive_time_ms': 30_000, 'grpc.keepalive_timeout_ms': 10_000 }; // notices a dead link
  return { 'grpc.service_config_disable_resolution': 1, ...(isUnix(address) ? {} : alive) };
}

function connected(client, address, ms) {
  return new Promise((resolve, reject) => {
    const done = (error) => (error ? reject(new ConnectionError(`no referee at ${address} within ${ms / 1000} s`)) : resolve());
    client.waitForReady(Date.now() + ms, done);
  });
}
