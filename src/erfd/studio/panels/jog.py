"""Panel to move the robot by hand, by joints or tool pose, and to teach the program a move."""

from __future__ import annotations

from math import isfinite, radians
from typing import Any

from nicegui import run as threads
from nicegui import ui

from ...errors import ErfdError
from ...robot.model import Robot
from ...robot.pose import Pose
from ..teach import home, move_text, nearest, typed_joint, typed_pose
from ..workspace import Workspace

WIDEST = {"revolute": 360.0, "prismatic": 2000.0}
"""Degrees or mm of a slider whose joint has no limit."""
AXES = ("X", "Y", "Z", "A", "B", "C")


def build(workspace: Workspace) -> None:
    """Build the panel; another robot builds it anew."""
    box = ui.element("div").classes("studio-form").mark("jog")
    shown: list[JogPanel] = []

    def fill() -> None:
        arm = _arm(workspace)
        if arm is None or (shown and shown[0].arm == arm):
            return
        box.clear()
        with box:
            shown[:] = [JogPanel(workspace, arm)]

    def follow() -> None:
        if shown:
            shown[0].show_pose()

    workspace.on("robot", fill)
    workspace.on("pose", follow)
    workspace.on("run", fill)
    fill()


def _arm(workspace: Workspace) -> Robot | None:
    session = workspace.session
    try:
        return session.run.file.robot if session.run is not None else session.robot
    except ErfdError as error:
        workspace.notify(str(error))
        return None


class JogPanel:
    """A slider for each joint, the pose of the tool, and buttons that teach a move."""

    def __init__(self, workspace: Workspace, arm: Robot) -> None:
        self.workspace, self.words, self.session = workspace, workspace.words, workspace.session
        self.arm = arm
        self.busy = False  # its own fields tell of changes that it made itself
        self.session.jog_position(arm)
        ui.label(self.words("jog_joints")).classes("group")
        self.joints = [self._joint(i) for i in range(arm.n)]
        ui.label(self.words("jog_pose")).classes("group")
        with ui.element("div").classes("numbers"):
            values = typed_pose(arm, self.session.q)
            self.pose = [self._axis(*one) for one in zip(AXES, values, strict=True)]
        self.miss = ui.label().classes("bad").mark("miss").props('role="status"')
        self.closest = ui.button(self.words("teach_nearest"), on_click=self.go_nearest)
        self.closest.props("no-caps outline dense").mark("teach-nearest").set_visibility(False)
        self.wanted: Pose | None = None  # what was typed and cannot be reached
        self._buttons()

    def _joint(self, i: int) -> tuple[ui.slider, ui.number]:
        low, high = _range(self.arm, i)
        value = self.display_value(i)
        with ui.element("div").classes("jog-row"):
            ui.label(f"{i + 1}").classes("axis")
            slider = ui.slider(min=low, max=high, step=0.1, value=value)
            slider.props(f'dense aria-label="{self.words("joint")} {i + 1}"').mark(f"jog-{i + 1}")
            slider.on("update:model-value", lambda e: self.jog(i, e.args), throttle=0.04)
            unit = "°" if self.arm.joints[i].revolute else "mm"
            number = ui.number(value=value, suffix=unit)
            number.props("dense borderless debounce=300").classes("value")
            number.on_value_change(lambda e: self.jog(i, e.value))
        return slider, number

    def _axis(self, name: str, value: float) -> ui.number:
        unit, step = ("mm", 10) if name in "XYZ" else ("°", 5)
        field = ui.number(name, value=round(value, 2), suffix=unit, step=step)
        field.props("dense outlined debounce=300").mark(f"pose-{name}")
        return field.on_value_change(self.move_tool)

    def _buttons(self) -> None:
        ui.label(self.words("teach")).classes("group")
        with ui.element("div").classes("buttons"):
            for kind in ("ptp", "lin", "joint"):
                button = ui.button(self.words(f"teach_{kind}"))
                button.on_click(lambda kind=kind: self.teach(kind))
                button.props("no-caps outline dense").mark(f"teach-{kind}")
            ui.button(self.words("jog_zero"), on_click=self.zero).props("no-caps flat dense")

    def display_value(self, i: int) -> float:
        """Where a joint is, degrees or mm."""
        return round(typed_joint(self.arm.joints[i], self.session.q[i]), 2)

    def refresh(self) -> None:
        """Show where the robot is now."""
        self.show_pose()
        self.workspace.tell("robot")

    def show_pose(self) -> None:
        """Show in the fields where the robot is now."""
        self.busy = True
        self._miss(None)
        for i, fields in enumerate(self.joints):
            for field in fields:
                field.set_value(self.display_value(i))
        for field, value in zip(self.pose, typed_pose(self.arm, self.session.q), strict=True):
            field.set_value(round(value, 2) + 0.0)
        self.busy = False

    def jog(self, i: int, value: Any) -> None:
        """Move a joint to a value in degrees or mm."""
        if self.busy or value is None:
            return
        joint = self.arm.joints[i]
        q = radians(float(value)) if joint.revolute else float(value) / 1000
        self.session.q[i] = min(max(q, joint.position_min), joint.position_max)
        self.refresh()

    def move_tool(self) -> None:
        """Move the tool to the pose that was typed in."""
        if self.busy or any(field.value is None for field in self.pose):
            return
        from ...ik.inverse_kinematics import inverse_kinematics

        x, y, z, a, b, c = (float(field.value) for field in self.pose)
        wanted = Pose((x / 1000, y / 1000, z / 1000), (radians(c), radians(b), radians(a)))
        try:
            joints = inverse_kinematics(self.arm, wanted, near=self.session.q)
        except ErfdError as error:
            self._miss(wanted, self.words.said(error))
            return
        self.session.q = [float(v) for v in joints]
        self.refresh()

    def _miss(self, wanted: Pose | None, why: str = "") -> None:
        """Say that the pose that was typed cannot be reached; none: that there is none."""
        self.wanted = wanted
        self.miss.set_text(why)
        self.closest.set_visibility(wanted is not None)

    async def go_nearest(self) -> None:
        """Move the robot as near as it comes to the pose that was typed."""
        if self.wanted is not None:
            found = await threads.io_bound(nearest, self.arm, self.wanted, self.session.q)
            if found:
                self.session.q = found
                self.refresh()

    async def teach(self, kind: str) -> None:
        """Put a move to where the robot is into the program; nowhere else than was typed."""
        if self.wanted is not None:
            self.workspace.notify(self.words("teach_unreachable"))
            return
        with self.workspace.telling():
            line = await self.workspace.insert(move_text(kind, self.arm, self.session.q).strip())
            self.workspace.inform(self.words("taught", line=line))

    def zero(self) -> None:
        """Move the robot to where it begins."""
        self.session.q = home(self.arm)
        self.refresh()


def _range(arm: Robot, i: int) -> tuple[float, float]:
    """The range of a joint's slider, degrees or mm."""
    joint = arm.joints[i]
    widest = WIDEST[joint.kind]
    limits = ((joint.position_min, -widest), (joint.position_max, widest))
    low, high = (typed_joint(joint, end) if isfinite(end) else far for end, far in limits)
    return round(low, 1), round(high, 1)
