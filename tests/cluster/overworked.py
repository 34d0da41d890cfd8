"""Plays as anybody; but while there is a file ``crowded`` it thinks for a minute, and only when nobody else wants to run.

So it gets next to no processor on a busy machine, as all would on one that is overloaded many times over.
"""

import os
import time

import bots


class Overworked:
    def decide(self, observation, legal):
        if os.path.exists("crowded"):
            with open("/proc/self/autogroup", "w") as file:
                file.write("19")
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            end = time.thread_time() + 60
            while time.thread_time() < end:
                pass
        return legal[0]


bots.play(Overworked())
