"""Random programs with lines, arcs, corners and steps of velocity, and how verdicts on them differ.

`python -m support.step_programs 200` (in `tests/`) tries that many.
"""

import random
import sys
from collections.abc import Iterator

import erfd
from erfd.verification import Verification, verify

STEPS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02)
"""Steps in s at which a program has one verdict."""
NEAR = 0.02
"""What is short by less than this part of its limit may be short at one step and not at another."""


def random_program(die: random.Random) -> str:
    """Moves in a part of Lola 15's room that it reaches with one branch, slow and fast."""

    def point() -> str:
        x, y, z = die.uniform(750, 1000), die.uniform(-350, 350), die.uniform(350, 750)
        a, b, c = die.uniform(-20, 20), die.uniform(-80, -40), die.uniform(-190, -160)
        return f"robtarg((({x:.1f}, {y:.1f}, {z:.1f}), ({a:.1f}, {b:.1f}, {c:.1f})), 4)"

    moves = [f"move ptp {point()} speed_ptp={die.uniform(0.2, 0.6):.2f};"]
    for _ in range(die.randint(2, 5)):
        speed = f"speed={die.choice((50, 150, 300, 600, 1200))} acc={die.choice((500, 2000, 8000))}"
        end = die.choice(("", "c_speed", "c_cp=20", "c_cp=80"))
        kind = die.choice(("lin", "lin", "circle", "ptp"))
        if kind == "ptp":
            part = die.uniform(0.2, 1.0)
            moves.append(f"move ptp {point()} speed_ptp={part:.2f} {die.choice(('', 'c_ptp'))};")
        elif kind == "circle":
            moves.append(f"move circle {point()}, {point()} {speed} {end};")
        else:
            moves.append(f"move lin {point()} {speed} {end};")
    load = die.choice(("", "", f"payload {die.uniform(1, 60):.0f} at (0, 0, 100);"))
    return "program p; seq\n" + "\n".join([load, *moves]) + "\nendseq endprogram"


def verdicts(text: str, robot: erfd.Robot) -> dict[float, Verification]:
    """The verification at every step."""
    return {dt: verify(text, robot, dt=dt) for dt in STEPS}


def clear(found: Verification) -> bool:
    """Whether something fails by more than a little."""
    events = (event for event in found.run.events if event.fails)
    return bool(found.plan.failures) or any(event.part > NEAR for event in events)


def disagreements(count: int, seed: int) -> Iterator[tuple[str, dict[float, Verification]]]:
    """Programs that are feasible at one step and clearly not at another."""
    robot, die = erfd.load("lola15"), random.Random(seed)
    for _ in range(count):
        text = random_program(die)
        found = verdicts(text, robot)
        if any(v.feasible for v in found.values()) and any(map(clear, found.values())):
            yield text, found


if __name__ == "__main__":
    for program, results in disagreements(int(sys.argv[1]), int([*sys.argv, "1"][2])):
        print(program)
        for step, result in results.items():
            print(f"  {step:g} s: {result.verdict}")
