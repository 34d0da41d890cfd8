"""Connects, and never says hello; ``mute.py MARK stream`` opens a stream with its token, and says nothing on it."""

import os
import sys
import time
from pathlib import Path

import grpc

seat = Path(os.environ["KINGMAKER_SEAT"])
channel = grpc.insecure_channel(f"unix:{seat}/ref.sock")
grpc.channel_ready_future(channel).result()
if "stream" in sys.argv:
    method = channel.stream_stream("/referee.v1.RefereeService/Play")
    stream = method(iter(time.sleep, 0), metadata=(("kingmaker-token", (seat / "token").read_text()),))
print("connected", flush=True)
time.sleep(1000)
