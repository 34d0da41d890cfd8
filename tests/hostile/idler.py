"""Lowers its own priority by every way there is, prints what came of each, and then takes its time over every decision:
``idler.py MARK MILLISECONDS``, of processor time.

A bot that runs only when nobody else wants to would wait as long as it likes, and what it waits is not charged.
"""

import os
import sys
import time

import bots
from referee.isolation import probe

SECONDS = float(sys.argv[2]) / 1000


def lower_session():
    with open("/proc/self/autogroup", "w") as file:
        file.write("19")


class Idler:
    has_tried = False

    def decide(self, observation, legal):
        if not self.has_tried:  # not before: a start that takes minutes would be another fault
            self.has_tried = True
            for way in (lower_session, lambda: os.setpriority(os.PRIO_PROCESS, 0, 19), probe.idle):
                print(probe.outcome(way), flush=True)
        end = time.thread_time() + SECONDS
        while time.thread_time() < end:
            pass
        return legal[0]


bots.play(Idler())
