"""Panel to move the robot by hand, by joints or tool pose, and to teach the program a move."""

from __future__ import annotations

from math import degrees, isfinite, radians
from typing import Any

from nicegui import ui

from ...errors import ErfdError
from ...robot.model import Robot
from ...robot.pose import Pose
from ..teach import home, move_text, typed_pose
from ..workspace import Workspace

WIDEST = {"revolute": 360.0, "prismatic": 2000.0}
"""Degrees or mm of a slider whose joint has no limit."""
AXES = ("X", "Y", "Z", "A", "B", "C")


def build(workspace: Workspace) -> None:
    """Build the panel: a slider for each joint, and the pose of the tool."""
    box = ui.element("div").classes("studio-form").mark("jog")
    shown_arm: list[Any] = [None]

    def fill() -> None:
        arm = _arm(workspace)
        if arm is None or shown_arm[0] == arm:
            return
        shown_arm[0] = arm
        box.clear()
        with box:
            _sliders(workspace, arm)

    workspace.on("robot", fill)
    workspace.on("run", fill)
    fill()


def _arm(workspace: Workspace) -> Robot | None:
    session = workspace.session
    try:
        return session.run.file.robot if session.run is not None else session.robot
    except ErfdError as error:
        workspace.notify(str(error))
        return None


def _sliders(workspace: Workspace, arm: Robot) -> None:
    words, session = workspace.words, workspace.session
    busy = [False]
    sliders: list[ui.slider] = []
    numbers: list[ui.number] = []
    pose: list[ui.number] = []
    session.jog_position(arm)

    def display_value(i: int) -> float:
        return degrees(session.q[i]) if arm.joints[i].revolute else 1000 * session.q[i]

    def refresh() -> None:
        busy[0] = True
        for i in range(arm.n):
            sliders[i].set_value(round(display_value(i), 2))
            numbers[i].set_value(round(display_value(i), 2))
        for field, value in zip(pose, typed_pose(arm, session.q), strict=True):
            field.set_value(round(value, 2) + 0.0)
        busy[0] = False
        workspace.tell("robot")

    def jog(i: int, value: Any) -> None:
        if busy[0] or value is None:
            return
        joint = arm.joints[i]
        q = radians(float(value)) if joint.revolute else float(value) / 1000
        session.q[i] = min(max(q, joint.position_min), joint.position_max)
        refresh()

    def move_tool() -> None:
        if busy[0] or any(field.value is None for field in pose):
            return
        from ...ik.inverse_kinematics import inverse_kinematics

        x, y, z, a, b, c = (float(field.value) for field in pose)
        wanted = Pose((x / 1000, y / 1000, z / 1000), (radians(c), radians(b), radians(a)))
        try:
            session.q = [float(v) for v in inverse_kinematics(arm, wanted, near=session.q)]
            miss.set_text("")
        except ErfdError as error:
            miss.set_text(words.said(error))
            return
        refresh()

    def teach(kind: str) -> None:
        workspace.insert(move_text(kind, arm, session.q))
        ui.notify(words("taught"), position="bottom-left")

    def zero() -> None:
        session.q = home(arm)
        refresh()

    ui.label(words("jog_joints")).classes("group")
    for i, joint in enumerate(arm.joints):
        low, high = _range(arm, i)
        with ui.element("div").classes("jog-row"):
            ui.label(f"{i + 1}").classes("axis")
            slider = ui.slider(min=low, max=high, step=0.1, value=round(display_value(i), 2))
            slider.props(f'dense aria-label="{words("joint")} {i + 1}"').mark(f"jog-{i + 1}")
            slider.on("update:model-value", lambda e, i=i: jog(i, e.args), throttle=0.04)
            number = ui.number(
                value=round(display_value(i), 2), suffix="°" if joint.revolute else "mm"
            )
            number.props("dense borderless debounce=300").classes("value")
            number.on_value_change(lambda e, i=i: jog(i, e.value))
            sliders.append(slider)
            numbers.append(number)
    ui.label(words("jog_pose")).classes("group")
    with ui.element("div").classes("numbers"):
        for name, value in zip(AXES, typed_pose(arm, session.q), strict=True):
            unit = "mm" if name in "XYZ" else "°"
            field = ui.number(
                name, value=round(value, 2), suffix=unit, step=10 if unit == "mm" else 5
            )
            field.props("dense outlined debounce=300").mark(f"pose-{name}")
            field.on_value_change(move_tool)
            pose.append(field)
    miss = ui.label().classes("bad").mark("miss").props('role="status"')
    ui.label(words("teach")).classes("group")
    with ui.element("div").classes("buttons"):
        for kind in ("ptp", "lin", "joint"):
            button = ui.button(words(f"teach_{kind}"), on_click=lambda kind=kind: teach(kind))
            button.props("no-caps outline dense").mark(f"teach-{kind}")
        ui.button(words("jog_zero"), on_click=zero).props("no-caps flat dense")


def _range(arm: Robot, i: int) -> tuple[float, float]:
    """The range of a joint's slider, degrees or mm."""
    joint = arm.joints[i]
    widest = WIDEST[joint.kind]
    ends = []
    for limit, far in ((joint.position_min, -widest), (joint.position_max, widest)):
        value = degrees(limit) if joint.revolute else 1000 * limit
        ends.append(value if isfinite(limit) else far)
    return round(ends[0], 1), round(ends[1], 1)
