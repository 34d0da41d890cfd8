"""Small tables for tests of the rules: a few cards in each hand, actions and legal moves as texts.

A deal may have fewer cards than its ruleset deals: three cards in each hand make a deal of three tricks, of which the
second and the third are its last two.
"""

from dataclasses import replace

from referee.rules.cards import card, mask
from referee.rules.deal import Deal
from referee.rules.dealing import Dealt
from referee.rules.match import Match
from referee.rules.registry import ruleset
from referee.rules.ruleset import Game


def cards(text: str) -> list[int]:
    return [card(word) for word in text.split()]


def game(name: str, **options: object) -> Game:
    return ruleset(name).game(options)


def table(name: str, number: int, *hands: str, dealer: int = 3, turned: str = "", stock: str = "", **options) -> Deal:
    """Begin deal ``number`` with these hands by seat; with dealer 3 seat 0 is the first to act."""
    whole = game(name, **options)
    sets = tuple(mask(cards(hand)) for hand in hands)
    assert len({hand.bit_count() for hand in sets}) == 1, "hands of different sizes"
    deck = tuple(sorted(card for text in (*hands, turned, stock) for card in cards(text)))
    small = replace(whole, deck=deck, packets=(1,) * sets[0].bit_count())
    return small.start(number, dealer, Dealt(sets, tuple(cards(turned)), tuple(cards(stock))))


def dealt(name: str, number: int, *, dealer: int = 3, seed: int = 0, **options) -> Deal:
    """Begin deal ``number`` with whole hands."""
    whole = game(name, **options)
    return whole.start(number, dealer, whole.dealt(seed.to_bytes(32, "big"), number))


def do(deal: Deal, *texts: str) -> Deal:
    """Carry out actions, each text one or more of them."""
    for text in " ".join(texts).split():
        deal.apply(deal.game.actions.number(text))
    return deal


def legal(deal: Deal) -> str:
    """The legal actions as texts, in the order of the action table."""
    return " ".join(deal.game.actions.names(deal.legal_mask()))


def bids(deal: Deal) -> str:
    """The legal actions but for `pass`."""
    return " ".join(word for word in legal(deal).split() if word != "pass")


def finish(deal: Deal) -> list[int]:
    """Play on with the first legal action, and return the scores."""
    while not deal.over:
        deal.apply(deal.legal()[0])
    return deal.scores()


def ended(match: Match, totals: list[int]) -> Match:
    """A match as if it had ended with these totals."""
    match.totals = totals
    match.over = True
    return match
