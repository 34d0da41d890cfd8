"""Answers its first decision so many seconds late, and the others at once."""

import sys
import time

from raw import converse, lowest

waited = []


def reply(batch):
    if not waited:
        time.sleep(float(sys.argv[2]))
        waited.append(True)
    return [lowest(batch)]


converse(reply)
