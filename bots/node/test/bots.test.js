// The bots as the platform starts them: a process that finds its seat in KINGMAKER_SEAT.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { status } from '@grpc/grpc-js';
import { decision, greet, matchStart, reader, referee, RULESET } from './referee.js';

const HERE = fileURLToPath(new URL('..', import.meta.url));

function run(file, seat) {
  const env = { PATH: process.env.PATH, KINGMAKER_SEAT: seat };
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 30_000 });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => { output[name] += data; });
  return new Promise((resolve) => { child.on('close', (code) => resolve({ code, ...output })); });
}

/** Asks for three decisions and keeps the answered actions. */
const asks = (actions) => async (call) => {
  const next = reader(call);
  await greet(call, next);
  const decisions = ['18446744073709551557', '9007199254740993', '0'].map((seed, i) => decision(1, i + 1, { seed, legal: [3, 10, 11, 12, 20, 40, 51] }));
  call.write({ batch: { rulesets: [RULESET], matchStarts: [matchStart(1)], decisions } });
  actions.push(...(await next()).answers.answers.map(({ action }) => action ?? 0));
  call.write({ goodbye: {} });
  call.end();
};

const LEGAL = [3, 10, 11, 12, 20, 40, 51];
const EXPECTED = {
  'random.js': [18446744073709551557n, 9007199254740993n, 0n].map((seed) => LEGAL[Number(seed % 7n)]),
  'lowest.js': [3, 3, 3],
};

for (const [file, expected] of Object.entries(EXPECTED)) {
  test(`${file} answers and exits without a word`, async () => {
    const actions = [];
    const ref = await referee(asks(actions));
    const result = await run(join(HERE, file), ref.folder);
    ref.close();
    assert.deepEqual(result, { code: 0, stdout: '', stderr: '' });
    assert.deepEqual(actions, expected);
  });
}

test('a lost connection: one line on stderr, status 1', async () => {
  const ref = await referee(async (call) => {
    await greet(call, reader(call));
    call.emit('error', { code: status.ABORTED, details: 'superseded' });
  });
  const result = await run(join(HERE, 'random.js'), ref.folder);
  ref.close();
  assert.deepEqual(result, { code: 1, stdout: '', stderr: 'kingmaker: the referee is gone: ABORTED: superseded\n' });
});

test('no seat: one line on stderr, status 1', async () => {
  const { code, stderr } = await run(join(HERE, 'random.js'), '/nowhere');
  assert.equal(code, 1);
  assert.match(stderr, /^kingmaker: no seat in \/nowhere \(ENOENT\).*\n$/);
});

test('a bot with a bug ends with its own trace', async () => {
  const actions = [];
  const ref = await referee(async (call) => {
    const next = reader(call);
    await greet(call, next);
    call.write({ batch: { rulesets: [RULESET], matchStarts: [matchStart(1)], decisions: [decision(1, 1)] } });
    await next().catch(() => {});
  });
  const file = join(ref.folder, 'bot.mjs');
  writeFileSync(file, `import { play } from '${HERE}src/client.js';\nawait play({ decide() { throw new Error('my own bug'); } });\n`);
  const { code, stderr } = await run(file, ref.folder);
  ref.close();
  assert.equal(code, 1);
  assert.match(stderr, /my own bug[\s\S]*bot\.mjs/);
  assert.deepEqual(actions, []);
});

test('the package works alone with a proto folder inside', async () => {
  const alone = mkdtempSync(join(tmpdir(), 'kingmaker-node-'));
  cpSync(join(HERE, 'src'), join(alone, 'src'), { recursive: true });
  for (const file of ['package.json', 'random.js']) cpSync(join(HERE, file), join(alone, file));
  symlinkSync(join(HERE, 'node_modules'), join(alone, 'node_modules'));
  const missing = await run(join(alone, 'random.js'), '/nowhere');
  assert.match(missing.stderr, /no referee\/v1\/referee_service.proto in any of/);
  cpSync(join(HERE, '../../proto'), join(alone, 'proto'), { recursive: true });
  const actions = [];
  const ref = await referee(asks(actions));
  const result = await run(join(alone, 'random.js'), ref.folder);
  ref.close();
  rmSync(alone, { recursive: true });
  assert.deepEqual(result, { code: 0, stdout: '', stderr: '' });
  assert.deepEqual(actions, EXPECTED['random.js']);
});
