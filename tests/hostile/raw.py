"""The conversation in raw bytes, for bots that break it."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import SimpleQueue

import grpc

from referee.v1 import decision_pb2, referee_service_pb2

PlayRequest, PlayResponse = referee_service_pb2.PlayRequest, referee_service_pb2.PlayResponse
Batch = referee_service_pb2.Batch
HELLO = PlayRequest(hello=referee_service_pb2.Hello(min_version=1, max_version=1)).SerializeToString()


def answers(triples: Iterable[tuple[int, int, int]]) -> bytes:
    listed = [decision_pb2.Answer(match=match, number=number, action=action) for match, number, action in triples]
    return PlayRequest(answers=referee_service_pb2.Answers(answers=listed)).SerializeToString()


def lowest(batch: Batch) -> bytes:
    """A good answer to all of a batch."""
    return answers((each.match, each.number, each.legal[0]) for each in batch.decisions)


def converse(reply: Callable[[Batch], Iterable[bytes]], *first: bytes) -> None:
    """Say hello, or what is given instead, and then what ``reply`` gives for each batch, until goodbye."""
    seat = Path(os.environ["KINGMAKER_SEAT"])
    outbox: SimpleQueue[bytes | None] = SimpleQueue()
    for message in first or (HELLO,):
        outbox.put(message)
    metadata = (("kingmaker-token", (seat / "token").read_text()),)
    try:
        with grpc.insecure_channel(f"unix:{seat}/ref.sock") as channel:
            method = channel.stream_stream("/referee.v1.RefereeService/Play")
            for data in method(iter(outbox.get, None), metadata=metadata):
                response = PlayResponse.FromString(data)
                if response.WhichOneof("message") == "goodbye":
                    break
                if response.batch.decisions:
                    for message in reply(response.batch):
                        outbox.put(message)
    finally:
        outbox.put(None)
