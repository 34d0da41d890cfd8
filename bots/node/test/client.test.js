import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerCredentials, status } from '@grpc/grpc-js';
import { ConnectionError, converse } from '../src/client.js';
import { decision, greet, matchStart, reader, referee, RULESET } from './referee.js';

/** Plays `bot` against a referee's part. */
async function against(part, bot, options = {}) {
  const ref = await referee(part);
  try {
    await converse(bot, { address: ref.address, token: ref.token, ...options });
  } finally {
    ref.close();
  }
}

const lowest = { name: 'low', decide: (observation, legal) => legal[0] };

test('hello comes first', async () => {
  let hello;
  await against(async (call) => {
    hello = await greet(call, reader(call));
    call.write({ goodbye: {} });
    call.end();
  }, lowest);
  assert.deepEqual(hello, { minVersion: 1, maxVersion: 1, name: 'low', sdk: 'kingmaker-node/1' });
});

test('many tables: a batch is answered in one message, match ends are told', async () => {
  const asked = [];
  const ended = [];
  const answered = [];
  await against(async (call) => {
    const next = reader(call);
    await greet(call, next);
    const matches = Array.from({ length: 200 }, (_, i) => i + 1);
    call.write({ batch: { rulesets: [RULESET], matchStarts: matches.map((match) => matchStart(match, match % 4)), decisions: matches.map((match) => decision(match, 1)) } });
    answered.push((await next()).answers.answers);
    call.write({ batch: { matchEnds: matches.slice(1).map((match) => ({ match, matchId: `m-${match}`, totals: [1, 2, 3, match], ranks: [4, 3, 2, 1] })) } });
    call.write({ batch: {} });
    call.write({ batch: { decisions: [decision(1, 2, { legal: [7] })] } });
    answered.push((await next()).answers.answers);
    call.write({ goodbye: { reason: 'over' } });
    assert.equal(await next(), null);
    call.end();
  }, {
    decide(observation, legal) {
      asked.push([observation.match, observation.seat]);
      return legal[observation.match % legal.length];
    },
    matchEnd: (match, result) => ended.push([match.number, match.seat, result.matchId, result.totals[3]]),
  });
  assert.equal(answered[0].length, 200);
  assert.deepEqual(answered[0][4], { match: 5, number: 1, action: 51 });
  assert.deepEqual(answered[1], [{ match: 1, number: 2, action: 7 }]);
  assert.deepEqual(asked[4], [5, 1]);
  assert.equal(ended.length, 199);
  assert.deepEqual(ended[0], [2, 2, 'm-2', 2]);
});

const asksThree = (answers) => async (call) => {
  const next = reader(call);
  await greet(call, next);
  const decisions = [[4, 9], [5], [6, 7, 8]].map((legal, i) => decision(1, i + 1, { legal }));
  call.write({ batch: { rulesets: [RULESET], matchStarts: [matchStart(1)], decisions } });
  answers.push(...((await next())?.answers.answers ?? []));
  call.write({ goodbye: {} });
  call.end();
};

for (const [name, bot] of [
  ['decideBatch', { decideBatch: (observations) => observations.map(({ legal }) => legal.at(-1)) }],
  ['decideBatch with a promise', { decideBatch: async (observations) => observations.map(({ legal }) => legal.at(-1)) }],
  ['decide with a promise', { decide: async (observation, legal) => legal.at(-1) }],
]) {
  test(`a bot may have ${name}`, async () => {
    const answers = [];
    await against(asksThree(answers), bot);
    assert.deepEqual(answers.map(({ number, action }) => [number, action ?? 0]), [[1, 9], [2, 5], [3, 8]]);
  });
}

for (const [name, bot, told] of [
  ['an action that is none', { decide: () => undefined }, /answered undefined, which is no action; legal: 4 9/],
  ['too few actions', { decideBatch: () => [4] }, /returned 1 actions for 3 observations/],
  ['an error', { decide: () => { throw new Error('my own bug'); } }, /my own bug/],
]) {
  test(`a bot that answers with ${name} is told`, async () => {
    await assert.rejects(against(asksThree([]), bot), (error) => told.test(error.message) && !(error instanceof ConnectionError));
  });
}

test('a bot without decide is told at once', async () => {
  await assert.rejects(converse({}, { address: 'unix:/nowhere' }), /needs decide/);
});

test('the end of the stream is an end', async () => {
  await against(async (call) => {
    await greet(call, reader(call));
    call.end();
  }, lowest);
});

test('a goodbye is enough: the bot does not wait for the end of the stream', async () => {
  const begin = Date.now();
  await against(async (call) => {
    await greet(call, reader(call));
    call.write({ goodbye: {} });
  }, lowest);
  assert.ok(Date.now() - begin < 2000);
});

test('a wrong token is told', async () => {
  await assert.rejects(against(async () => {}, lowest, { token: 'wrong' }), /referee is gone: UNAUTHENTICATED: wrong token/);
});

test('a lost connection is told, also while a batch is being answered', async () => {
  const part = (at) => async (call) => {
    const next = reader(call);
    await greet(call, next);
    if (at === 'batch') call.write({ batch: { rulesets: [RULESET], matchStarts: [matchStart(1)], decisions: [decision(1, 1)] } });
    call.emit('error', { code: status.ABORTED, details: 'superseded' });
  };
  const slow = { decide: (observation, legal) => new Promise((resolve) => { setTimeout(resolve, 50, legal[0]); }) };
  await assert.rejects(against(part('ready'), lowest), /referee is gone: ABORTED: superseded/);
  await assert.rejects(against(part('batch'), slow), /referee is gone: ABORTED: superseded/);
});

test('a referee that is not there is told', async () => {
  await assert.rejects(converse(lowest, { address: 'unix:/nowhere/ref.sock', connectMs: 200 }), /no referee at unix:\/nowhere\/ref.sock within 0.2 s/);
});

test('a referee that speaks of an unknown match has broken the conversation', async () => {
  await assert.rejects(against(async (call) => {
    await greet(call, reader(call));
    call.write({ batch: { decisions: [decision(9, 1)] } });
  }, lowest), /number 9, which it has not introduced/);
});

test('TCP works on this machine; elsewhere the token never goes in the clear unasked', async () => {
  const ref = await referee(async (call) => {
    await greet(call, reader(call));
    call.end();
  });
  const port = await new Promise((resolve, reject) => {
    ref.server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, number) => (error ? reject(error) : resolve(number)));
  });
  await converse(lowest, { address: `127.0.0.1:${port}`, token: ref.token });
  ref.close();
  await assert.rejects(converse(lowest, { address: 'referee.example:443', token: 'x' }), /another machine: say tls: true/);
  await assert.rejects(converse(lowest, { address: '127.0.0.1.example:443', token: 'x' }), /another machine/);
});
