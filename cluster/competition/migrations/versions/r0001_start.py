"""The first tables: owners and tokens, bots and their versions, submissions, ladders, seasons and snapshots."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _ladders() -> None:
    op.create_table(
        "ladders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=120), nullable=False),
        sa.Column("ruleset", sa.String(length=64), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("remote", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ladders")),
        sa.UniqueConstraint("slug", name=op.f("uq_ladders_slug")),
    )


def _owners() -> None:
    op.create_table(
        "owners",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("name_key", sa.String(length=256), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked", sa.DateTime(timezone=True), nullable=True),
        sa.Column("max_bots", sa.Integer(), nullable=False),
        sa.Column("max_submissions_a_day", sa.Integer(), nullable=False),
        sa.Column("max_archive_bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_owners")),
        sa.UniqueConstraint("name_key", name=op.f("uq_owners_name_key")),
    )


def _seasons() -> None:
    op.create_table(
        "seasons",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("opened", sa.DateTime(timezone=True), nullable=False),
        sa.Column("frozen", sa.DateTime(timezone=True), nullable=True),
        sa.Column("published", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_seasons")),
    )


def _bots() -> None:
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("name_key", sa.String(length=256), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_bots_owner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bots")),
        sa.UniqueConstraint("name_key", name=op.f("uq_bots_name_key")),
    )
    op.create_index(op.f("ix_bots_owner_id"), "bots", ["owner_id"], unique=False)


def _snapshots() -> None:
    op.create_table(
        "snapshots",
        sa.Column("ladder_id", sa.Integer(), nullable=False),
        sa.Column("season", sa.Integer(), nullable=False),
        sa.Column("blocks", sa.Integer(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("taken", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rows", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladders.id"], name=op.f("fk_snapshots_ladder_id")),
        sa.ForeignKeyConstraint(["season"], ["seasons.number"], name=op.f("fk_snapshots_season")),
        sa.PrimaryKeyConstraint("ladder_id", "season", "blocks", name=op.f("pk_snapshots")),
    )


def _tokens() -> None:
    op.create_table(
        "tokens",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("scopes", sa.String(length=64), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_tokens_owner_id")),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_tokens")),
    )
    op.create_index(op.f("ix_tokens_owner_id"), "tokens", ["owner_id"], unique=False)


def _versions() -> None:
    op.create_table(
        "versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("tree", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=80), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("rulesets", sa.JSON(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_versions_bot_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_versions")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_versions_bot_id_number")),
        sa.UniqueConstraint("bot_id", "tree", name=op.f("uq_versions_bot_id_tree")),
    )


def _submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("upload", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("received", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.Column("bot_name", sa.String(length=64), nullable=True),
        sa.Column("log", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_submissions_owner_id")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_submissions_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("owner_id", "upload", name=op.f("uq_submissions_owner_id_upload")),
    )
    op.create_index("ix_submissions_state_received", "submissions", ["state", "received"], unique=False)
    op.create_index(op.f("ix_submissions_version_id"), "submissions", ["version_id"], unique=False)


def _uploads() -> None:
    op.create_table(
        "uploads",
        sa.Column("submission_id", sa.String(length=16), nullable=False),
        sa.Column("received", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name=op.f("fk_uploads_owner_id")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_uploads_submission_id")),
        sa.PrimaryKeyConstraint("submission_id", "received", name=op.f("pk_uploads")),
    )
    op.create_index("ix_uploads_owner_id_received", "uploads", ["owner_id", "received"], unique=False)


def upgrade() -> None:
    """Make them all."""
    _ladders()
    _owners()
    _seasons()
    _bots()
    _snapshots()
    _tokens()
    _versions()
    _submissions()
    _uploads()
