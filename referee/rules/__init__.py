"""The rules as values, with the standard library alone: no I/O, no clock, no global random numbers."""
