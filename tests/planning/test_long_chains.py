"""Long programs: what planning costs a move does not grow with their length."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable

import numpy as np
import pytest

from erfd.planning.moves import JointTarget, PoseTarget, Step
from erfd.planning.planner import plan
from support.lola_moves import LOLA, READY, circle, lin, pose

FEW, MANY = 100, 400
SPEED = {"speed": 0.25, "acc": 2.5}


def zigzag(k: int, up: float = 0.0) -> PoseTarget:
    """Points of a circle of 13 cm, in steps of 1 cm, every second 4 mm off."""
    a = 2 * math.pi * k / 80
    return pose(0.13 * math.sin(a), 0.13 * (1 - math.cos(a)) + 0.004 * (k % 2), up)


def lines(k: int) -> list[Step]:
    return [lin(zigzag(k), k, c_cp=0.003, **SPEED)]


def arcs(k: int) -> list[Step]:
    return [circle(zigzag(2 * k), zigzag(2 * k + 1), k, c_cp=0.003, **SPEED)]


def joints(k: int) -> JointTarget:
    """The first three axes, near READY."""
    return JointTarget(tuple((READY[:3] + 0.02 * np.array([k % 7, k % 3, 0])).tolist()))


def some_joints(k: int) -> list[Step]:
    """Where the axes go that are not named depends on the moves before."""
    return [lin(joints(k), k, c_cp=0.003, **SPEED)]


def out_of_reach(k: int) -> list[Step]:
    return [lin(zigzag(k, 0.7), k, c_cp=0.003, **SPEED)]


def seconds(count: int, moves: Callable[[int], list[Step]]) -> float:
    """The processor's time for a program."""
    steps = [step for k in range(1, count + 1) for step in moves(k)]
    gc.collect()
    begin = time.process_time()
    plan(LOLA, steps, q0=READY)
    return time.process_time() - begin


@pytest.mark.parametrize("moves", [lines, arcs, some_joints, out_of_reach])
def test_twice_as_many_moves_cost_little_more_than_twice_as_much(moves) -> None:
    """Four times as many, to be sure; looking at all moves for each costs 7 to 30 times as much."""
    seconds(10, moves)  # kernels
    ratios: list[float] = []
    while len(ratios) < 3 and min(ratios, default=10.0) > 2.4**2:  # other work may disturb one
        ratios.append(seconds(MANY, moves) / seconds(FEW, moves))
    assert min(ratios) < 2.4**2, ratios
