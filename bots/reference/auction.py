"""Selling and buying the deals of the Kings: for a price, the better of two worths."""

from __future__ import annotations

from dataclasses import dataclass

from bots.observation import Observation
from bots.reference.hands import Worth, worth


@dataclass(frozen=True)
class Temper:
    """How a bot trades. ``margin``: points that a purchase must promise above doing without; ``greed``: points above
    the worth of one's own play for which one sells."""

    margin: float = 0.0
    greed: float = 0.0


def decide(observation: Observation, legal: list[int], temper: Temper) -> int:
    """The action in any decision before the first trick."""
    options = {observation.text(action): action for action in legal}
    hand = worth(observation.hand_mask)
    kind = observation.kind
    if kind == "choose":
        choice = max(options, key=lambda text: (hand.of(text), text))
    elif kind == "bid":
        choice = buy(options, hand, "pass", without(hand), temper)
    elif kind == "answer":
        choice = answer(options, hand, standing_bid(observation), temper)
    else:
        choice = reply(options, hand, temper)
    return options[choice]


def price(bid: str) -> float:
    """Points for a bid such as ``+3`` or ``-1``."""
    return int(bid[1:]) * (25.0 if bid[0] == "+" else 75.0)


def without(hand: Worth) -> float:
    """What the hand may expect when somebody else plays, as likely trump as nulls."""
    return 0.6 * hand.others_trump + 0.4 * hand.others_nulls


def buy(options: dict[str, int], hand: Worth, otherwise: str, other_worth: float, temper: Temper) -> str:
    """The bid with the best surplus, or what is to be said otherwise."""
    best, surplus = otherwise, other_worth + temper.margin
    for text in options:
        if text[0] in "+-":
            gain = (hand.plus if text[0] == "+" else hand.nulls) - price(text)
            if gain > surplus:
                best, surplus = text, gain
    return best


def answer(options: dict[str, int], hand: Worth, bid: str, temper: Temper) -> str:
    """Sell, ask for more, or play oneself."""
    own = max(hand.plus, hand.nulls, 100.0)
    sale = price(bid) + (hand.others_trump if bid[0] == "+" else hand.others_nulls)
    if "eight_or_nulls" in options and hand.nulls >= max(sale, own) and bid in ("+6", "+7"):
        return "eight_or_nulls"
    if "raise" in options and ("refuse" in options or sale < own + temper.greed):
        return "raise"
    if "refuse" in options and sale < own + temper.greed:
        return "refuse"
    return "accept"


def reply(options: dict[str, int], hand: Worth, temper: Temper) -> str:
    """Bid higher, or not."""
    if "decline" in options:
        return buy(options, hand, "decline", hand.others_nulls, temper)
    no_higher = "give_up" if "give_up" in options else "stand"
    return buy(options, hand, no_higher, without(hand), temper)


def standing_bid(observation: Observation) -> str:
    """The last bid that was made."""
    texts = (observation.text(action) for action in reversed(observation.actions))
    return next(text for text in texts if text[0] in "+-")
