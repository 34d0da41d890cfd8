"""Values in words: a function says in its docstring what it stands for."""

from collections.abc import Callable


def phrase(function: Callable[..., object]) -> str:
    """The first line of the docstring as part of a sentence, such as ``leading the trick``."""
    text = sentence(function).rstrip(".")
    return text[:1].lower() + text[1:]


def sentence(function: Callable[..., object]) -> str:
    """The first line of the docstring; empty without one."""
    return (function.__doc__ or "").strip().partition("\n")[0]
