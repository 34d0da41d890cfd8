// The service as the proto files describe it, loaded when the bot starts.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const SERVICE = 'referee/v1/referee_service.proto';

/** The folder of the proto files: KINGMAKER_PROTO, else proto/ in this package, seen from src/ or from dist/src/. */
function protoFolder() {
  const folders = [process.env.KINGMAKER_PROTO, ...['../proto', '../../proto'].map((path) => fileURLToPath(new URL(path, import.meta.url)))];
  const folder = folders.find((path) => path && existsSync(`${path}/${SERVICE}`));
  if (folder === undefined) throw new Error(`no ${SERVICE} in any of: ${folders.filter(Boolean).join(', ')}; set KINGMAKER_PROTO`);
  return folder;
}

// No `longs`: 64-bit fields stay { low, high }, exact and without a text between. No `defaults`: zeros, empty
// lists and absent messages are left out, and observation.js supplies them where somebody asks.
const loaded = loadSync(SERVICE, { includeDirs: [protoFolder()] });

/** @typedef {import('../build/types/referee_service.js').ProtoGrpcType} ProtoGrpcType */

/** The client's class, whose `service` a server can be given. */
export const { RefereeService } = /** @type {ProtoGrpcType} */ (/** @type {unknown} */ (loadPackageDefinition(loaded))).referee.v1;
