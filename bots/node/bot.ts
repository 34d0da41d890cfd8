// The whole of a random bot; the seed comes with the decision, so the same match gives the same record.
import { play, type Observation } from './src/index.js';

await play({
  name: 'random',
  decide({ seed }: Observation, legal: readonly number[]) {
    return legal[Number(seed % BigInt(legal.length))];
  },
});
