"""Programs that Lola 15 cannot do, at random: too fast, too heavy, out of one branch's reach.

With comments, tabs, declared speeds, loops and routines, as people write them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from erfd.lirl.parser.parse import parse_with_mistakes
from erfd.lirl.syntax import Declaration, MoveStatement, Node
from erfd.verification import Verification
from erfd.verification.repair.values import POWERS
from erfd.verification.trial import TrialMotion
from erfd.verification.verify import verify

HEAD = """program Sporo;	{ brže ne može: čćžšđ }
const
  real: brzo = %(fast)d;	// mm/s
  int: gas = %(gas)d;
endconst
var
  int: i, n = 0;
  real: v = %(v)d;
endvar

procedure down(robtarg: target; real: rate);
seq
  move ptp shift(target, (0, 0, -60)) c_ptp;
  move lin target speed=rate acc=%(acc)d;   { u proceduri }
endseq
endproc

seq
"""


def random_program(die: random.Random) -> str:
    """A program whose moves are too fast, whose payload is too heavy, or whose CONFIG is wrong."""
    kind = die.choice(("fast", "fast", "heavy", "branch"))
    hurry = kind == "fast"
    numbers = {
        "fast": die.choice((800, 1500, 2500) if hurry else (80, 200)),
        "gas": die.choice((3000, 9000) if hurry else (300, 900)),
        "v": die.choice((600, 1800) if hurry else (60, 150)),
        "acc": die.choice((4000, 20000) if hurry else (400, 900)),
    }
    parts = [f"  move ptp {point(die)} speed_ptp=0.4;"]
    if kind == "heavy":
        parts.append(f"  payload {die.uniform(15, 90):.0f} at (0, 0, {die.randint(0, 200)});")
    parts += [statements(die, hurry) for _ in range(die.randint(2, 5))]
    if kind == "branch":
        config = die.choice((0, 1, 2, 3, 5, 6, 7))
        other = f"  move ptp {point(die, config)} speed_ptp=0.3;  // other branch"
        parts.insert(die.randint(0, len(parts)), other)
        if die.random() < 0.5:
            parts.append(f"  move ptp {point(die)} speed_ptp=0.3;")
    return HEAD % numbers + "\n".join(parts) + "\nendseq\nendprogram\n"


def point(die: random.Random, config: int = 4) -> str:
    """A target in a part of the room that Lola 15 reaches with one branch."""
    x, y, z = die.uniform(780, 980), die.uniform(-300, 300), die.uniform(380, 720)
    a, b, c = die.uniform(-15, 15), die.uniform(-75, -45), die.uniform(-185, -165)
    return f"robtarg((({x:.1f}, {y:.1f}, {z:.1f}), ({a:.1f}, {b:.1f}, {c:.1f})), {config})"


def statements(die: random.Random, hurry: bool) -> str:
    """A move, a pair of moves that join, a loop, a call, a wait."""
    fast = die.choice((900, 2000, 3500)) if hurry else die.choice((50, 150))
    acc = die.choice((5000, 30000)) if hurry else die.choice((300, 800))
    part = die.uniform(0.7, 1.0) if hurry else die.uniform(0.1, 0.4)
    turn = "speed_ori=300 acc_ori=3000" if hurry else "speed_ori=30 acc_ori=60"
    choices = (
        [f"  move lin {point(die)} speed={fast} acc={acc}; // do vrha"],
        [f"\tmove lin {point(die)} acc={acc}", f"\t\tspeed = {fast} c_cp=30;",
         f"\tmove lin {point(die)} speed=brzo acc=gas;"],
        [f"  move circle {point(die)}, {point(die)} speed=2 * v / 2 acc={acc} c_speed;",
         f"  move lin {point(die)} speed={fast} acc={acc};"],
        [f"  move ptp {point(die)} speed_ptp={part:.2f} c_ptp;", f"  move ptp {point(die)};"],
        ["  for i := 1 to 3", f"    move lin {point(die)} speed=i * {fast / 3:.0f} acc=gas;",
         f"    move_inc lin position(0, 0, -40) speed=brzo acc={acc} ref=tool;", "  endfor"],
        ["  n := 0;", "  while n < 2", f"    move lin {point(die)} speed=v acc={acc}; n := n + 1;",
         "    wait 0.05 sec;", "  endwhile"],
        [f"  down({point(die)}, {fast});", f"  down({point(die)}, 90);"],
        [f"  move_inc lin orientation(0, 0, 25) {turn};", "  wait 0.1 sec;"],
    )  # fmt: skip
    return "\n".join(die.choice(choices))


def hopeless_at_slowest(found: Verification) -> bool:
    """Whether the program cannot be done at 2 % of its speed either, nor be held at rest."""
    if found.plan.failures:
        return True
    moves, lines = found.plan.moves, found.plan.move
    stops = frozenset(
        int((lines <= k).sum()) - 1 for k, move in enumerate(moves) if move.blend == "stop"
    )
    motion = TrialMotion(
        found.robot, found.plan.trajectory, found.payloads, found.wrench, stops, found.strict
    )
    return not motion.run_trial(speed=0.02, early=True).feasible


def without_values(node: Any) -> Any:
    """A tree without what a repair may change: values of moves, and the numbers declared above."""
    if isinstance(node, tuple):
        return tuple(without_values(inside) for inside in node)
    if isinstance(node, MoveStatement):
        node = replace(node, options=tuple(o for o in node.options if o.name not in POWERS))
    if isinstance(node, Declaration) and node.name in ("brzo", "gas", "v"):
        return replace(node, value=None)
    if not isinstance(node, Node):
        return node
    inside = {f.name: without_values(getattr(node, f.name)) for f in fields(node) if f.compare}
    return replace(node, **inside)


def infeasible(
    die: random.Random, robot: object, **options: object
) -> Iterator[tuple[str, Verification]]:
    """Programs that the robot cannot do, with their verifications."""
    while True:
        text = random_program(die)
        assert parse_with_mistakes(text)[1] == []
        found = verify(text, robot, **options)
        if not found.feasible:
            yield text, found
