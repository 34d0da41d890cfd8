// A small referee for the tests: it serves one conversation after another over a unix socket.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { RefereeService } from '../src/proto.js';

export const TOKEN = 'a-token-for-tests';

/** A seat's folder with a referee behind it; `converse(call)` plays the referee's part once the token was right. */
export async function referee(converse, { method = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'kingmaker-node-'));
  const address = `unix:${join(folder, 'ref.sock')}`;
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
  const server = new Server();
  const failed = []; // what the referee's part threw
  const Play = async (call) => {
    call.on('error', () => {}); // the bot went away
    if (call.metadata.get('kingmaker-token')[0] !== TOKEN) {
      call.emit('error', { code: status.UNAUTHENTICATED, details: 'wrong token' });
      return;
    }
    try {
      await converse(call);
    } catch (error) {
      failed.push(error);
      call.end();
    }
  };
  server.addService({ Play: { ...RefereeService.service.Play, ...method } }, { Play });
  await new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
  });
  const close = () => {
    server.forceShutdown();
    rmSync(folder, { recursive: true, force: true });
    if (failed.length) throw failed[0];
  };
  return { folder, address, token: TOKEN, server, close };
}

/** A reader of the messages of a call: each call of it awaits the next one, null at the end. */
export function reader(call) {
  const messages = call.iterator({ destroyOnReturn: false }); // the end of what the bot says must not end what we say
  return async () => (await messages.next()).value ?? null;
}

/** The start of every conversation: hello, which is returned, then welcome. */
export async function greet(call, next) {
  const { hello } = await next();
  call.write({ welcome: { version: hello.maxVersion, maxBatch: 256 } });
  return hello;
}

const card = (rank, suit) => '23456789TJQKA'[rank] + 'CDHS'[suit];

export const RULESET = {
  ruleset: 1,
  id: 'king.fetes',
  options: [{ name: 'first_dealer', value: '2' }, { name: 'ask_forced', value: 'false' }],
  players: 4,
  actions: [...Array.from({ length: 52 }, (_, c) => card(c % 13, Math.floor(c / 13))), '', 'pass', '+3'],
  contracts: ['no_tricks', 'no_hearts', 'trump:S'],
  version: 1,
};

export const matchStart = (match, seat = 0) => ({
  match, ruleset: 1, seat, players: ['a', 'b', 'c', 'd'], commitment: Buffer.alloc(32, match), budgetMs: 1000, bankMs: 60_000, maxFaults: 3,
});

/** A decision in the middle of a deal; the seed is exact where a double would not be. */
export const decision = (match, number, more = {}) => ({
  match, number, kind: 1, deal: 3, dealer: 2, hand: '2251799813685265', legal: [0, 4, 51], contract: 2,
  actions: [12, 11, 10, 9, 30, 31], seats: [1, 2, 3, 0, 1, 2], trickSize: 2, tricks: [0, 1, 0, 0], totals: [-20, 0, 40, 0],
  budgetMs: 1000, bankMs: 59_000, chargedUs: 70, seed: '18446744073709551557', ...more,
});
