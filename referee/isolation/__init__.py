"""Running strangers' bots: tiers of isolation behind one interface, standard library only.

``cells`` makes of a bot's command what the launcher starts; each tier is a module. docs/isolation.md says what each
denies.
"""
