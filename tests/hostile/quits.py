"""Ends itself where it does no harm, or before it has begun: ``quits.py MARK before|after STATUS``, before its hello or
after the last answer of its match; a negative status is a signal."""

import os
import sys

WHEN, STATUS = sys.argv[2], int(sys.argv[3])


def end(*_):
    if STATUS < 0:
        os.kill(os.getpid(), -STATUS)
    os._exit(STATUS)


if WHEN == "before":
    end()

import bots  # noqa: E402


class Quits:
    match_end = staticmethod(end)

    def decide(self, observation, legal):
        return legal[0]


bots.play(Quits())
