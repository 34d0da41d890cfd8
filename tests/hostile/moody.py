"""Plays well most of the time; now and then it names what there is not, dies, raises, prints a lot or is late."""

import os
import time

import bots


class Moody:
    def decide(self, observation, legal):
        mood = observation.random.random()
        if mood < 0.0005:
            os._exit(3)
        if mood < 0.001:
            raise RuntimeError("not in the mood")
        if mood < 0.0015:
            os.kill(os.getpid(), 9)
        if mood < 0.002:
            time.sleep(0.6)
        if mood < 0.01:
            return 2**32 - 1
        if mood < 0.02:
            os.write(1, b"\xff" * 10_000)
        return observation.random.choice(legal)


bots.play(Moody())
