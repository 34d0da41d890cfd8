"""The competition's protocol, version 1, generated from proto/competition/v1."""
