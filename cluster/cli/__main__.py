"""`python -m cluster.cli` is `kingmaker`."""

from cluster.cli import main

main()
