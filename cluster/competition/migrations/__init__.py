"""How the tables came to be what they are; alembic runs these when a database is opened."""
