"""Speaks a version that is not out yet."""

from raw import PlayRequest, converse

from referee.v1 import referee_service_pb2

hello = referee_service_pb2.Hello(min_version=2, max_version=2)
converse(lambda batch: [], PlayRequest(hello=hello).SerializeToString())
