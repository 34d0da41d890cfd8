// Always the lowest legal action.
import { play } from './src/client.js';

await play({
  name: 'lowest',
  decide(observation, legal) {
    return legal[0];
  },
});
