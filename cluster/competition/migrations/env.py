"""Run by alembic: brings the database of the connection that it is given up to date, in the caller's transaction."""

from alembic import context

from cluster.competition.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
