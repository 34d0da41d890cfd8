"""The competition's gRPC service: takes archives, tells what became of them, and lets an organiser enter owners.

It only writes down what came; `cluster.competition.worker` does the rest.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from cluster.competition import owners, registry, uploads
from cluster.competition.database import Database, NoDatabase
from cluster.competition.owners import Owner, Refused
from cluster.competition.place import Place
from cluster.competition.registry import NoSubmission, NotTaken, Submission
from cluster.competition.v1 import competition_service_pb2 as pb
from cluster.competition.v1 import competition_service_pb2_grpc as pb_grpc
from referee.rules.errors import ConfigError

TOKEN_KEY = "kingmaker-token"
#: What one message of an upload may hold, and how often its sender is told.
MAX_PIECE, TELL_EVERY = 1 << 20, 1 << 20
#: Who has said nothing for so long while it uploads has gone.
UPLOAD_SILENCE_S = 60.0
#: Uploads at a time; the others wait.
MAX_UPLOADS = 16

T = TypeVar("T")
Context = grpc.aio.ServicerContext[Any, Any]


class CompetitionService(pb_grpc.CompetitionServiceServicer):
    """Answers the calls; every one is checked against the scopes of the caller's token."""

    def __init__(self, place: Place, database: Database) -> None:
        self._place = place
        self._database = database
        self._uploads = asyncio.Semaphore(MAX_UPLOADS)
        for left in place.uploads.glob(f"{uploads.TEMPORARY}*"):
            left.unlink()

    async def Submit(self, requests: AsyncIterator[pb.SubmitRequest], context: Context) -> AsyncIterator[pb.SubmitResponse]:
        """Take an archive."""
        owner = await self._caller(context, "submit")
        async with self._uploads:
            size = await self._header(requests, owner, context)
            temporary = uploads.temporary(self._place)
            try:
                digest = hashlib.sha256()
                with temporary.open("xb") as file:
                    arrived = told = 0
                    async for data in self._data(requests, size, context):
                        arrived += len(data)
                        digest.update(data)
                        await asyncio.to_thread(file.write, data)
                        if arrived - told >= TELL_EVERY:
                            told = arrived
                            yield pb.SubmitResponse(arrived=arrived)
                submission = await self._do(context, uploads.enter, self._place, self._database, owner, temporary, digest.hexdigest())
                yield pb.SubmitResponse(submission=_submission(submission))
            finally:
                temporary.unlink(missing_ok=True)

    async def ListSubmissions(self, request: pb.ListSubmissionsRequest, context: Context) -> pb.ListSubmissionsResponse:
        """Tell the caller's submissions, or all of them to an organiser."""
        owner, is_organiser = await self._reader(context)
        found = await self._do(context, registry.of_owner, self._database, None if is_organiser else owner)
        chosen = [each for each in found if request.id in ("", each.id)]
        if request.id and not chosen:
            await context.abort(grpc.StatusCode.NOT_FOUND, f"no submission {request.id!r:.40} of yours; `kingmaker submissions` lists them")
        return pb.ListSubmissionsResponse(submissions=[_submission(each) for each in chosen[: request.limit or 100]])

    async def GetLog(self, request: pb.GetLogRequest, context: Context) -> pb.GetLogResponse:
        """Tell a submission's log to its owner, or to an organiser."""
        owner, is_organiser = await self._reader(context)
        found = await self._do(context, registry.one, self._database, request.id)
        if not is_organiser and found.owner_id != owner.id:  # whether it exists is nobody else's matter
            await context.abort(grpc.StatusCode.NOT_FOUND, str(NoSubmission(request.id)))
        return pb.GetLogResponse(submission=_submission(found), log=found.log)

    async def AddOwner(self, request: pb.AddOwnerRequest, context: Context) -> pb.AddOwnerResponse:
        """Enter an owner."""
        await self._caller(context, "admin")
        lifetime = timedelta(seconds=min(request.lifetime_s, 1 << 32)) if request.lifetime_s else None
        scopes = list(request.scopes) or ["submit", "play"]
        owner, token = await self._do(context, owners.add, self._database, request.name, scopes, None, lifetime)
        return pb.AddOwnerResponse(owner=_owner(owner), token=token)

    async def ListOwners(self, request: pb.ListOwnersRequest, context: Context) -> pb.ListOwnersResponse:
        """Tell all owners."""
        await self._caller(context, "admin")
        found = await self._do(context, owners.everybody, self._database)
        return pb.ListOwnersResponse(owners=[_owner(each) for each in found])

    async def RevokeOwner(self, request: pb.RevokeOwnerRequest, context: Context) -> pb.RevokeOwnerResponse:
        """Let an owner's tokens be worth nothing."""
        await self._caller(context, "admin")
        return pb.RevokeOwnerResponse(tokens=await self._do(context, owners.revoke, self._database, request.name))

    async def _header(self, requests: AsyncIterator[pb.SubmitRequest], owner: Owner, context: Context) -> int:
        first = await self._next(requests, context)
        if first is None or first.WhichOneof("message") != "header":
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "an upload begins with its header")
        assert first is not None
        await self._do(context, registry.check_size, owner, first.header.size)
        return int(first.header.size)

    async def _data(self, requests: AsyncIterator[pb.SubmitRequest], size: int, context: Context) -> AsyncIterator[bytes]:
        arrived = 0
        while (request := await self._next(requests, context)) is not None:
            arrived += len(request.data)
            if request.WhichOneof("message") != "data" or len(request.data) > MAX_PIECE:
                await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "after the header comes data, at most a megabyte in a message")
            if arrived > size:
                break
            yield request.data
        if arrived != size:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"the header told {size} bytes, {arrived} came")

    async def _next(self, requests: AsyncIterator[pb.SubmitRequest], context: Context) -> pb.SubmitRequest | None:
        try:
            async with asyncio.timeout(UPLOAD_SILENCE_S):
                return await anext(requests, None)
        except TimeoutError:
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, f"nothing came for {UPLOAD_SILENCE_S:.0f} seconds; send it again")
            raise

    async def _reader(self, context: Context) -> tuple[Owner, bool]:
        """Who asks, and whether it is an organiser."""
        try:
            token = _token(context)
            return await asyncio.to_thread(owners.owner_of, self._database, token, "admin"), True
        except (Refused, NoDatabase):
            return await self._caller(context, "submit"), False

    async def _caller(self, context: Context, scope: str) -> Owner:
        return await self._do(context, owners.owner_of, self._database, _token(context), scope)

    async def _do(self, context: Context, work: Callable[..., T], *given: Any) -> T:
        """Do this in a thread; what a caller can put right ends the call with a sentence."""
        try:
            return await asyncio.to_thread(work, *given)
        except Refused as error:
            code = grpc.StatusCode.PERMISSION_DENIED if error.is_known else grpc.StatusCode.UNAUTHENTICATED
            text = str(error)
        except NoSubmission as error:
            code, text = grpc.StatusCode.NOT_FOUND, str(error)
        except NotTaken as error:
            code, text = grpc.StatusCode.RESOURCE_EXHAUSTED, str(error)
        except ConfigError as error:
            code, text = grpc.StatusCode.INVALID_ARGUMENT, str(error)
        except NoDatabase as error:
            logging.getLogger(__name__).warning("%s", error)
            code, text = grpc.StatusCode.UNAVAILABLE, "the competition's database is away; try again in a while"
        except OSError as error:
            logging.getLogger(__name__).warning("%s", error)
            code, text = grpc.StatusCode.UNAVAILABLE, "the competition's disk takes nothing at the moment; try again in a while"
        await context.abort(code, text)
        raise AssertionError  # abort has raised


async def serve(place: Place, database: Database, address: str, credentials: grpc.ServerCredentials | None = None) -> tuple[grpc.aio.Server, int]:
    """Start the service; return it and its port.

    Raises:
        ConfigError: the address is taken, or is none.
    """
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", MAX_PIECE + 1024)])
    pb_grpc.add_CompetitionServiceServicer_to_server(CompetitionService(place, database), server)
    try:
        port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    except RuntimeError:
        raise ConfigError(f"{address} cannot be listened on: it is taken, or is no HOST:PORT of this machine") from None
    await server.start()
    return server, port


def _token(context: Context) -> str:
    for key, value in context.invocation_metadata() or ():
        if key == TOKEN_KEY and isinstance(value, str):
            return value
    return ""


def _submission(one: Submission) -> pb.Submission:
    return pb.Submission(
        id=one.id, owner=one.owner, state=pb.SubmissionState.Value(f"SUBMISSION_STATE_{one.state.upper()}"),
        received=_moment(one.received), changed=_moment(one.changed), size=one.size, bot=one.bot or "", player=one.player or "",
    )  # fmt: skip


def _owner(one: Owner) -> pb.Owner:
    return pb.Owner(
        name=one.name, created=_moment(one.created), revoked=one.revoked is not None, max_bots=one.limits.max_bots,
        max_submissions_a_day=one.limits.max_submissions_a_day, max_archive_bytes=one.limits.max_archive_bytes,
    )  # fmt: skip


def _moment(moment: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp
