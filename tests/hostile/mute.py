"""Connects, and never says hello."""

import os
import time

import grpc

channel = grpc.insecure_channel(f"unix:{os.environ['KINGMAKER_SEAT']}/ref.sock")
grpc.channel_ready_future(channel).result()
print("connected", flush=True)
time.sleep(1000)
