"""Values that are lowered: printed in few digits, never above what was meant, step by step."""

from hypothesis import given
from hypothesis import strategies as st

from erfd.planning.moves import JointTarget, Move, PoseTarget
from erfd.planning.plan import PlannedMove
from erfd.verification.repair.values import (
    PARTS,
    Value,
    capped,
    caps_of,
    index_at_speed,
    index_of,
    values_by_line,
)

NUMBERS = st.floats(0.001, 99_999.0).map(lambda x: float(f"{x:.12g}"))
INDICES = st.integers(1, len(PARTS) - 1)


@given(NUMBERS, INDICES)
def test_a_printed_value_is_rounded_down_to_three_digits(number: float, index: int) -> None:
    text = Value("speed", (1,), number).lowered(index)
    part = float(PARTS[index])
    assert len(text.replace(".", "").strip("0")) <= 3
    assert "e" not in text.lower()
    assert number * part * 0.99 <= float(text) <= number * part * (1 + 1e-12)


@given(NUMBERS, INDICES)
def test_each_step_is_lower_by_little(number: float, index: int) -> None:
    value = Value("speed", (1,), number)
    here, above = float(value.lowered(index)), float(value.lowered(index - 1))
    assert here < above or index == 1
    assert here > 0.88 * above  # from 10 % to 9.9 % as from 11 % to 10 %


@given(st.floats(1e-6, 1.0))
def test_the_index_of_a_part_is_the_first_not_above_it(part: float) -> None:
    index = index_of(part)
    assert float(PARTS[index]) <= part or index == len(PARTS) - 1
    assert index == 0 or float(PARTS[index - 1]) > part


def test_accelerations_fall_with_the_square_of_the_speed() -> None:
    speed, acc, jerk = (Value(name, (1,), 1000.0) for name in ("speed", "acc", "jerk"))
    assert speed.lowered(index_at_speed(speed, 50)) == "500"
    assert acc.lowered(index_at_speed(acc, 50)) == "250"
    assert jerk.lowered(index_at_speed(jerk, 50)) == "120"
    assert [PARTS[index_at_speed(v, 100)] for v in (speed, acc, jerk)] == [1, 1, 1]


def test_whole_numbers_stay_whole() -> None:
    value = Value("speed", (1,), 7.0, "v", whole=True)
    assert value.lowered(index_of(0.5)) == "3"


def test_a_cap_lowers_only_what_is_above_it() -> None:
    target = PoseTarget((1.0, 0.0, 0.5))
    fast = Move("lin", (target,), 4, speed=0.8)
    caps = caps_of({Value("speed", (4,), 800.0): index_of(0.5), Value("acc", (5,), 9.0): 3})
    assert capped(fast, caps).speed == 400.0 * 1e-3
    slow = Move("lin", (target,), 4, speed=0.3)
    assert capped(slow, caps) is not None
    assert capped(slow, caps).speed == 0.3
    elsewhere = Move("lin", (target,), 6, speed=0.8)
    assert capped(elsewhere, caps) is elsewhere
    ptp = Move("ptp", (JointTarget((1.0,)),), 4)
    assert capped(ptp, caps) == ptp  # `speed` is no value of it


def test_a_value_that_is_not_given_is_one_only_on_the_spot() -> None:
    here, there = PoseTarget((1.0, 0.0, 0.5)), PoseTarget((1.0, 0.2, 0.5))
    steps = [Move("lin", (here,), 1), Move("lin", (there,), 2, jerk=5.0)]
    moves = [
        PlannedMove("lin", 1, "", 0.0, 1.0, turn=0.3),
        PlannedMove("lin", 2, "", 0.0, 1.0, length=0.2),
    ]
    values = values_by_line(steps, moves)
    assert {v.option for v in values[1]} == {"speed", "acc", "speed_ori", "acc_ori"}
    assert {v.option for v in values[2]} == {"speed", "acc", "jerk"}
    assert next(v for v in values[2] if v.option == "jerk").programmed == 5000.0
