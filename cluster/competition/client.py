"""What an author's machine does to submit: it sends an archive, and asks what became of it."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import grpc

from cluster.competition.v1 import competition_service_pb2 as pb
from cluster.competition.v1 import competition_service_pb2_grpc as pb_grpc
from referee.rules.errors import ConfigError, KingmakerError

PIECE = 1 << 18

T = TypeVar("T")


class Failed(KingmakerError):
    """The competition did not do what it was asked for; the text is its own."""


class Client:
    """Speaks to a competition; use as a context.

    ``roots``: a file with the authority that signed the server's certificate, where the system does not know it.

    Raises:
        Failed: whatever the server says, in its words.
    """

    def __init__(self, address: str, token: str, roots: Path | None = None) -> None:
        self._address = address
        self._metadata = (("kingmaker-token", token),)
        if _is_here(address) and roots is None:
            self._channel = grpc.insecure_channel(address)
        else:
            try:
                known = roots.read_bytes() if roots else None
            except OSError as error:
                raise ConfigError(f"{roots}: {error.strerror}") from None
            self._channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(known))
        self._stub = pb_grpc.CompetitionServiceStub(self._channel)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def submit(self, archive: bytes, arrived: Callable[[int], None]) -> pb.Submission:
        """Send an archive; ``arrived`` is told how many bytes have arrived."""

        def pieces() -> Iterator[pb.SubmitRequest]:
            yield pb.SubmitRequest(header=pb.SubmitHeader(size=len(archive)))
            for start in range(0, len(archive), PIECE):
                yield pb.SubmitRequest(data=archive[start : start + PIECE])

        def send() -> pb.Submission:
            for answer in self._stub.Submit(pieces(), metadata=self._metadata):
                if answer.WhichOneof("message") == "submission":
                    arrived(len(archive))
                    return answer.submission
                arrived(answer.arrived)
            raise Failed(f"{self._address} did not say what became of the archive; send it again")

        return self._said(send)

    def submissions(self, submission: str = "", limit: int = 0) -> list[pb.Submission]:
        """Those of the caller, the newest first, or only one."""
        request = pb.ListSubmissionsRequest(id=submission, limit=limit)
        return list(self._said(lambda: self._stub.ListSubmissions(request, metadata=self._metadata, timeout=30)).submissions)

    def log(self, submission: str) -> pb.GetLogResponse:
        """A submission with its log."""
        return self._said(lambda: self._stub.GetLog(pb.GetLogRequest(id=submission), metadata=self._metadata, timeout=30))

    def add_owner(self, name: str, scopes: tuple[str, ...]) -> str:
        """Enter an owner, and return the token."""
        request = pb.AddOwnerRequest(name=name, scopes=scopes)
        return self._said(lambda: self._stub.AddOwner(request, metadata=self._metadata, timeout=30)).token

    def owners(self) -> list[pb.Owner]:
        """All owners."""
        return list(self._said(lambda: self._stub.ListOwners(pb.ListOwnersRequest(), metadata=self._metadata, timeout=30)).owners)

    def revoke_owner(self, name: str) -> int:
        """Let an owner's tokens be worth nothing; return how many there were."""
        request = pb.RevokeOwnerRequest(name=name)
        return self._said(lambda: self._stub.RevokeOwner(request, metadata=self._metadata, timeout=30)).tokens

    def _said(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE and "competition" not in (error.details() or ""):
                raise Failed(f"no competition answers at {self._address}: {_first_line(error.details())}") from None
            raise Failed(_first_line(error.details()) or error.code().name) from None


def state_of(submission: pb.Submission) -> str:
    """The word for a submission's state."""
    return pb.SubmissionState.Name(submission.state).removeprefix("SUBMISSION_STATE_").lower()


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0][:500]


def _is_here(address: str) -> bool:
    """Whether an address is on this machine, where nobody listens in."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        return host in ("", "localhost") or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return address.startswith("unix:")
