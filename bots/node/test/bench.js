// How many decisions a second: `npm run bench [decisions a batch]`.
//
// The referee here only sends bytes made before the clock starts and counts the messages that come back, so that
// nearly all of the time is the bot's. Referee and bot share one process and one core.

import { readFileSync } from 'node:fs';
import { converse } from '../src/client.js';
import { RefereeService } from '../src/proto.js';
import { decision, greet, matchStart, reader, referee, RULESET } from './referee.js';

const { requestDeserialize, responseSerialize } = RefereeService.service.Play;
const BOTS = {
  random: { decide: ({ seed }, legal) => legal[Number(seed % BigInt(legal.length))] },
  lowest: { decide: (observation, legal) => legal[0] },
  'reads all': { decide: (o, legal) => (o.hand.length + o.trick.length + o.history.length + o.tricks.length > 1000 ? legal[0] : legal.at(-1)) },
};
const SECONDS = 3;

async function measure(bot, size) {
  const actions = Array.from({ length: 24 }, (_, i) => i);
  const more = { actions, seats: actions.map((action) => action % 4), hand: '2251799813685375' };
  const matches = Array.from({ length: size }, (_, i) => i + 1);
  const batch = responseSerialize({ batch: { decisions: matches.map((match) => decision(match, 1, more)) } });
  const start = responseSerialize({ batch: { rulesets: [RULESET], matchStarts: matches.map((match) => matchStart(match)) } });
  let rate = 0;
  const ref = await referee(async (call) => {
    const raw = reader(call);
    await greet({ write: (message) => call.write(responseSerialize(message)) }, async () => requestDeserialize(await raw()));
    call.write(start);
    const round = async () => {
      call.write(batch);
      await raw();
    };
    for (const warm = performance.now(); performance.now() - warm < 1000;) await round();
    let rounds = 0;
    const begin = performance.now();
    for (; performance.now() - begin < SECONDS * 1000; rounds += 1) await round();
    rate = rounds * size / (performance.now() - begin) * 1000;
    call.end();
  }, { method: { responseSerialize: (bytes) => bytes, requestDeserialize: (bytes) => bytes } });
  await converse(bot, { address: ref.address, token: ref.token });
  ref.close();
  return { rate, bytes: batch.length / size };
}

const sizes = process.argv[2] ? [Number(process.argv[2])] : [1, 32, 256];
console.log(`node ${process.version}, ${readFileSync('/proc/cpuinfo', 'utf8').match(/model name\s*: (.*)/)?.[1]}`);
for (const [name, bot] of Object.entries(BOTS)) {
  for (const size of sizes) {
    const { rate, bytes } = await measure(bot, size);
    console.log(`${name.padEnd(10)} ${String(size).padStart(4)} a batch, ${bytes.toFixed(0)} bytes each: ${Math.round(rate).toLocaleString('en')} decisions/s`);
  }
}
