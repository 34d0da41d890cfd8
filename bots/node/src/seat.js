// Where the referee is, and how to speak to it.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';

/**
 * Where the referee is.
 *
 * @typedef {object} Options
 * @property {string} [address] "host:port" or "unix:PATH"; left out: the folder in KINGMAKER_SEAT says it
 * @property {string} [token] what the referee gave this bot
 * @property {boolean} [tls] whether to encrypt; left out: to other machines
 * @property {Buffer} [roots] PEM certificates to trust instead of the system's
 * @property {number} [connectMs] how long a referee that is not there yet is waited for
 */

/** The referee cannot be reached, refused the bot, or is gone; `isLost`: it was there, and may be there again. */
export class ConnectionError extends Error {
  /** @param {string} message */
  constructor(message, isLost = false) {
    super(message);
    this.isLost = isLost;
  }
}

/** @param {Options} options @returns {Options & { address: string, isRemote: boolean }} */
export function find(options) {
  const { address } = options;
  if (address !== undefined) return { ...options, address, isRemote: !isUnix(address) };
  const folder = process.env.KINGMAKER_SEAT || '/ref';
  /** @param {string} name */
  const read = (name) => readFileSync(join(folder, name), 'utf8').trim();
  try {
    const token = read('token');
    if (!existsSync(join(folder, 'address'))) return { ...options, address: `unix:${join(folder, 'ref.sock')}`, token, isRemote: false };
    const roots = existsSync(join(folder, 'roots.pem')) ? readFileSync(join(folder, 'roots.pem')) : undefined;
    const there = read('address');
    return { tls: roots !== undefined || !isHere(there), roots, ...options, address: there, token, isRemote: true };
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new ConnectionError(`no seat in ${folder} (${code}): KINGMAKER_SEAT names the folder with ref.sock and token`);
  }
}

/** @param {string} address */
const isUnix = (address) => address.startsWith('unix:');
/** @param {string} address */
const isHere = (address) => isUnix(address) || /^(dns:|ipv[46]:)?\/*(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(address);

/** @param {string} address @param {boolean} [tls] @param {Buffer} [roots] */
export function channelCredentials(address, tls, roots) {
  if (tls) return credentials.createSsl(roots);
  if (tls === undefined && !isHere(address)) throw new ConnectionError(`${address} is another machine: say tls: true, or tls: false to send the token in the clear`);
  return credentials.createInsecure();
}

/** @param {string} address */
export function channelOptions(address) {
  const alive = { 'grpc.keepalive_time_ms': 30_000, 'grpc.keepalive_timeout_ms': 10_000 }; // notices a dead link
  const often = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 2000 };
  return { 'grpc.service_config_disable_resolution': 1, ...often, ...(isUnix(address) ? {} : alive) };
}
