// The whole of a random bot; the seed comes with the decision, so the same match gives the same record.
import { play } from './src/client.js';

await play({
  name: 'random',
  decide({ seed }, legal) {
    return legal[Number(seed % BigInt(legal.length))];
  },
});
