"""The pages read a second time: what is legal, found card by card from the texts of what was done.

Written without a look at the engine's own form: no masks, no obligations, no state that is carried along.
"""

PLAIN = "23456789TJQKA"
KLAVERJAS_PLAIN, KLAVERJAS_TRUMP = "789JQKTA", "78QKTA9J"


def beats(card: str, best: str, trump: str, plain_order: str, trump_order: str) -> bool:
    if card[1] == best[1]:
        order = trump_order if card[1] == trump else plain_order
        return order.index(card[0]) > order.index(best[0])
    return card[1] == trump


def winner_of(trick: list[tuple[int, str]], trump: str, plain_order: str, trump_order: str) -> tuple[int, str]:
    best = trick[0]
    for played in trick[1:]:
        if beats(played[1], best[1], trump, plain_order, trump_order):
            best = played
    return best


def playable(
    ruleset: str, contract: str, hand: list[str], trick: list[tuple[int, str]], seat: int, tricks: int
) -> set[str]:
    """Which cards of a hand may be played; ``trick``: seats and cards on the table; ``tricks``: complete ones before."""
    trump = contract[6:7] if contract.startswith("trump") else ""
    if ruleset.startswith("klaverjas"):
        return _klaverjas(ruleset, trump, hand, trick, seat)
    if not trick:
        return _led(ruleset, contract, hand, tricks)
    following = {card for card in hand if card[1] == trick[0][1][1]}
    if ruleset == "king.fetes":
        return _fetes(contract, trump, hand, trick, following, tricks)
    return following or set(hand)


def _led(ruleset: str, contract: str, hand: list[str], tricks: int) -> set[str]:
    no_hearts = {
        "king.auction": ["no_hearts"],
        "king.fetes": ["no_hearts", "no_king_of_hearts"],
        "king.simple": ["no_hearts", "no_king_of_hearts", "nothing", "hearts", "king_of_hearts", "everything"],
    }[ruleset]
    cards = set(hand)
    if contract in no_hearts and any(card[1] != "H" for card in hand):
        cards = {card for card in hand if card[1] != "H"}
    if contract == "no_king_of_hearts" and len(hand) > 1 and (ruleset == "king.auction" or tricks == 0):
        cards -= {"KH"} if ruleset != "king.simple" else set()
    return cards


def _fetes(contract: str, trump: str, hand: list[str], trick, following: set[str], tricks: int) -> set[str]:
    if contract == "no_hearts" and tricks == 0 and not following:
        return {card for card in hand if card[1] != "H"} or set(hand)
    if contract == "no_king_of_hearts" and not following:
        if tricks == 0:
            return set(hand) - {"KH"}
        return {"KH"} if "KH" in hand else set(hand)
    if not trump:
        return following or set(hand)
    on_table = [PLAIN.index(card[0]) for _, card in trick if card[1] == trump]
    higher = {card for card in hand if card[1] == trump and PLAIN.index(card[0]) > max(on_table, default=-1)}
    if trick[0][1][1] == trump:
        return higher or following or set(hand)
    return following or higher or set(hand)


def _klaverjas(ruleset: str, trump: str, hand: list[str], trick: list[tuple[int, str]], seat: int) -> set[str]:
    if not trick:
        return set(hand)
    led = trick[0][1][1]
    trumps = {card for card in hand if card[1] == trump}
    best_seat, best = winner_of(trick, trump, KLAVERJAS_PLAIN, KLAVERJAS_TRUMP)
    higher = {card for card in trumps if beats(card, best, trump, KLAVERJAS_PLAIN, KLAVERJAS_TRUMP)}
    following = {card for card in hand if card[1] == led}
    if led == trump:
        return higher or trumps or set(hand)
    if following:
        return following
    if not trumps:
        return set(hand)
    if ruleset.endswith("rotterdam"):
        return higher or trumps
    if (best_seat - seat) % 2 and higher:
        return higher
    if best[1] == trump:  # nobody undertrumps but from a hand of nothing else
        return {card for card in hand if card not in trumps or card in higher} or trumps
    return set(hand)


def biddable(ladder: dict[str, int], owner: int, history: list[tuple[int, str]], seat: int) -> set[str]:
    """What may be bid; ``ladder``: the bids and how high they are; ``history``: the auction's seats and texts."""
    standing = [(who, text) for who, text in history if text != "pass"]
    if not standing:
        return {"pass", *ladder}
    bidder, bid = standing[-1]
    nearer = (seat - owner - 1) % 4 < (bidder - owner - 1) % 4
    return {"pass"} | {text for text in ladder if ladder[text] > ladder[bid]} | ({bid} if nearer else set())


def next_bidder(owner: int, history: list[tuple[int, str]]) -> int | None:
    """Who bids next, None when the auction is over."""
    out = {owner} | {who for who, text in history if text == "pass"}
    standing = [who for who, text in history if text != "pass"]
    if standing:
        out.add(standing[-1])
    last = history[-1][0] if history else owner
    return next((seat % 4 for seat in range(last + 1, last + 5) if seat % 4 not in out), None)


def layable(hand: list[str], piles: dict[str, list[str]]) -> set[str]:
    """What may be done in a turn of Kings in the Corner, `end` included."""
    ranks, red = "A23456789TJQK", "DH"

    def fits(card: str, top: str) -> bool:
        return ranks.index(top[0]) - ranks.index(card[0]) == 1 and (card[1] in red) != (top[1] in red)

    found = {"end"}
    for place, pile in piles.items():
        for card in hand:
            allowed = fits(card, pile[-1]) if pile else (card[0] == "K") == (len(place) == 2)
            if allowed:
                found.add(f"place:{card}:{place}")
        for other, target in piles.items():
            if len(place) == 1 and pile and target and other != place and fits(pile[0], target[-1]):
                found.add(f"move:{place}:{other}")
    return found
