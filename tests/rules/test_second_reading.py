"""The engine against a second reading of the pages, on every decision of many deals."""

import random

import pytest

from referee.rules.cards import texts
from referee.rules.deal import Deal
from tests.rules import second_reading as page
from tests.strategies import GAMES

LADDERS = {
    "king.auction": {bid: n for n, bid in enumerate(["+1", "+2", "+3", "-1", "+4", "+5", "+6", "-2", "+7", "+8"])},
    "king.fetes": {f"+{n}": 25 * n for n in range(1, 14)} | {f"-{n}": 75 * n for n in range(1, 4)},
}


def expected(deal: Deal) -> set[str] | None:
    """What the second reading says is legal; None for kinds of choice that it does not read."""
    game, done = deal.game, list(zip(deal.seats, map(deal.game.actions.text, deal.actions), strict=True))
    if deal.kind == "play":
        played = [(seat, text) for seat, text in done if len(text) == 2 and text[1] in "CDHS"]
        trick = played[len(played) // 4 * 4 :]
        return page.playable(
            game.ruleset, deal.contract.id, texts(deal.hands[deal.actor]), trick, deal.actor, len(played) // 4
        )
    if deal.kind == "bid":
        assert page.next_bidder(deal.dealer, done) == deal.actor
        return page.biddable(LADDERS[game.ruleset], deal.dealer, done, deal.actor)
    if deal.kind == "turn":
        return page.layable(texts(deal.hands[deal.actor]), deal.layout.texts())
    return None


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_legal_actions_and_winners_are_those_of_the_second_reading(game):
    rng = random.Random(3)
    for number in range(1, 15):
        if game.programme.plan(number) is None:
            break
        deal = game.deal(rng.randbytes(32), number)
        while not deal.over:
            wanted = expected(deal)
            assert wanted is None or set(deal.game.actions.names(deal.legal_mask())) == wanted
            deal.apply(rng.choice(deal.legal()))
            if deal.kind == "play" and not deal.trick.cards and deal.trick.winners:
                assert deal.trick.winners[-1] == deal.actor == last_winner(deal)


def last_winner(deal: Deal) -> int:
    played = [(seat, action) for seat, action in zip(deal.seats, deal.actions, strict=True) if action < 52]
    trick = [(seat, deal.game.actions.text(action)) for seat, action in played[-4:]]
    klaverjas = deal.game.ruleset.startswith("klaverjas")
    orders = (page.KLAVERJAS_PLAIN, page.KLAVERJAS_TRUMP) if klaverjas else (page.PLAIN, page.PLAIN)
    contract = deal.contract.id
    return page.winner_of(trick, contract[6:7] if contract.startswith("trump") else "", *orders)[0]
