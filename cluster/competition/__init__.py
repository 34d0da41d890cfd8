"""The competition: who takes part, what they submitted, and the ladder on which it plays."""
