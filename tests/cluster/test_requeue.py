"""What is played again when workers break, and who is held to be the cause."""

import random
from collections.abc import Iterator, Sequence

import pytest

from cluster.requeue import Requeue, SetAside, Task
from cluster.schedule import Block
from tests.cluster.fakes import a_tournament, all_blocks

BLOCKS = all_blocks(a_tournament(blocks=12))


def chunks(size: int = 4) -> Iterator[Sequence[Block]]:
    return iter([BLOCKS[start : start + size] for start in range(0, len(BLOCKS), size)])


def test_chunks_come_in_order_and_end() -> None:
    queue = Requeue(chunks())
    assert [queue.next(0).blocks for _ in range(3)] == [tuple(BLOCKS[i : i + 4]) for i in (0, 4, 8)]  # type: ignore[union-attr]
    assert not queue.is_empty, "nobody has asked for more yet"
    assert queue.next(0) is None
    assert queue.is_empty


def test_an_empty_chunk_means_nothing_at_the_moment() -> None:
    queue = Requeue(iter([[], BLOCKS[:1]]))
    assert queue.next(0) is None
    assert not queue.is_empty
    assert queue.next(0) == Task((BLOCKS[0],))


def test_a_death_under_several_chunks_is_held_against_none_of_them() -> None:
    queue = Requeue(chunks())
    first, second = queue.next(0), queue.next(1)
    assert first
    assert second
    assert queue.void([first, second], "boom") == []
    assert queue.next(1) is None, "whoever plays something else must end that first"
    again = [queue.next(0), queue.next(0)]
    assert again == [Task(first.blocks, 2, 0, True), Task(second.blocks, 2, 0, True)]


def test_a_chunk_that_kills_alone_is_taken_apart_after_two_and_a_block_set_aside_after_three() -> None:
    queue = Requeue(chunks())
    task = queue.next(0)
    for deaths in (1, 2):
        assert task
        assert task.deaths == deaths - 1
        assert queue.void([task], "boom") == []
        if deaths == 1:
            task = queue.next(0)
    singles = [queue.next(0) for _ in range(4)]
    assert [one.blocks for one in singles if one] == [(block,) for block in BLOCKS[:4]]
    assert all(one and one.alone and one.attempt == 3 for one in singles)
    bad = singles[2]
    for _ in range(2):
        assert bad
        assert queue.void([bad], "boom") == []
        bad = queue.next(0)
        assert bad
        assert bad.blocks == (BLOCKS[2],)
    assert bad
    assert queue.void([bad], "boom") == [SetAside(BLOCKS[2], 5, "boom")]


def test_a_node_that_went_is_nobodys_doing() -> None:
    queue = Requeue(chunks())
    task = queue.next(0)
    for attempt in range(2, 9):
        assert task
        assert queue.void([task], "unplugged", blame=False) == []
        task = queue.next(0)
        assert task == Task(tuple(BLOCKS[:4]), attempt)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("poison", [frozenset[int](), frozenset({5}), frozenset({0, 7, 11})])
def test_whatever_breaks_each_block_comes_once_and_only_the_poisonous_are_set_aside(seed: int, poison: frozenset[int]) -> None:
    """Three workers that play up to three chunks at a time; those with a poisonous block die, and at times others do."""
    rng = random.Random(seed)
    queue = Requeue(chunks(rng.choice([1, 3, 4])))
    working: list[list[Task]] = [[], [], []]
    played: list[str] = []
    aside: list[SetAside] = []
    innocent_deaths = 4
    while not queue.is_empty or any(working):
        mine = rng.choice(working)
        while len(mine) < 3 and not any(task.alone for task in mine) and (task := queue.next(len(mine))):
            mine.append(task)
        if not mine:
            continue
        task = rng.choice(mine)
        if any(block.index in poison for block in task.blocks):
            aside += queue.void(mine, "boom")
            mine.clear()
        elif innocent_deaths and rng.random() < 0.2 and len(mine) > 1:
            innocent_deaths -= 1
            aside += queue.void(mine, "chance")
            mine.clear()
        else:
            mine.remove(task)
            played += [block.id for block in task.blocks]
    assert {one.block.index for one in aside} == poison
    assert sorted([*played, *(one.block.id for one in aside)]) == sorted(block.id for block in BLOCKS)
