"""Plays well, and ignores goodbye and SIGTERM."""

import signal
import time

from raw import converse, lowest

signal.signal(signal.SIGTERM, signal.SIG_IGN)
converse(lambda batch: [lowest(batch)])
while True:
    time.sleep(1000)
