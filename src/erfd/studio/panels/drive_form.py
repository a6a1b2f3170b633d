"""The form of motors and gears: numbers of data sheets by joint, each one explained."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from ..workspace import Workspace

MOTOR = {
    "torque_constant": "40.4 mNm/A", "rotor_inertia": "181 gcm2", "no_load_current": "270 mA",
    "nominal_torque": "134 mNm", "peak_current": "10 A", "peak_torque": "0.4 Nm",
    "max_speed": "10000 rpm", "resistance": "0.573 ohm", "voltage": "24 V",
    "thermal_time_constant": "43.1 s",
}  # fmt: skip
"""Numbers of a motor's data sheet, with an example each."""
GEAR = {
    "ratio": "100", "efficiency": "75 %", "inertia": "79 gmm2", "no_load_torque": "20 mNm",
    "max_input_speed": "6500 rpm", "average_torque": "39 Nm", "peak_torque": "70 Nm",
}  # fmt: skip
"""Numbers of a gear's data sheet."""
OWN = {"acceleration": "5", "viscous": "2 mNms/rad"}
"""Numbers beside the sheets."""
COLUMNS = "display: grid; grid-template-columns: 230px 1fr; gap: 6px 14px; align-items: center"
GROUPS = {"motor": MOTOR, "gear": GEAR, "own": OWN}
Values = dict[str, dict[str, str]]
"""What is typed: by group, then by number."""


def drive_file(joints: list[str], values: Mapping[str, Values]) -> str:
    """The text of a drive file: `values` by joint, those of "" are of every joint."""
    lines = []
    for joint in joints:
        lines += ["[[drive]]", f"joint = {json.dumps(joint, ensure_ascii=False)}"]
        for group in ("own", "motor", "gear"):
            both = [values.get(name, {}).get(group, {}) for name in ("", joint)]
            typed = {k: v for part in both for k, v in part.items() if v.strip()}
            if typed and group != "own":
                lines.append(f"[drive.{group}]")
            lines += [f"{key} = {_toml(value)}" for key, value in typed.items()]
    return "\n".join(lines) + "\n"


def _toml(text: str) -> str:
    """A number as it is, everything else as text."""
    try:
        return repr(float(text.replace(",", ".")))
    except ValueError:
        return json.dumps(text.strip(), ensure_ascii=False)


class DriveForm:
    """The fields of one joint at a time, or of all joints alike."""

    def __init__(self, workspace: Workspace, attach: Callable[[str], Awaitable[Any]]):
        self.words, self.attach = workspace.words, attach
        self.joints: list[dict[str, Any]] = []
        self.values: dict[str, Values] = {}
        self.fields: dict[tuple[str, str], ui.input] = {}
        with ui.expansion(self.words("drives_title"), icon="settings").mark("drives"):
            ui.label(self.words("drives_how")).classes("hint")
            self.joint = ui.select({"": self.words("drives_all")}, value="")
            self.joint.props("dense outlined options-dense").mark("drives-joint")
            self.joint.on_value_change(self._show)
            self.known = ui.label().classes("hint")
            for group, numbers in GROUPS.items():
                ui.label(self.words(f"drives_{group}")).classes("group")
                with ui.element("div").style(COLUMNS):
                    for key, example in numbers.items():
                        self._field(group, key, example)
            done = ui.button(self.words("drives_attach"), on_click=self._attach)
            done.props("no-caps unelevated color=primary").mark("drives-attach")

    def _field(self, group: str, key: str, example: str) -> None:
        field = ui.input(self.words(f"drive_{group}_{key}"), placeholder=example)
        why = self.words(f"drive_{group}_{key}_why")
        field.props("dense outlined").mark(f"drive-{group}-{key}")
        ui.label(f"{why} ({example})").classes("hint")
        field.on_value_change(lambda: self._typed(group, key))
        self.fields[group, key] = field

    def clear(self) -> None:
        """Forget what was typed: another robot."""
        self.values = {}

    def fill(self, joints: list[dict[str, Any]]) -> None:
        """Offer the joints of a robot."""
        self.joints = joints
        names = {"": self.words("drives_all")} | {j["name"]: j["name"] for j in joints}
        value = self.joint.value if self.joint.value in names else ""
        self.joint.set_options(names, value=value)
        self._show()

    def _typed(self, group: str, key: str) -> None:
        text = str(self.fields[group, key].value or "")
        self.values.setdefault(str(self.joint.value or ""), {}).setdefault(group, {})[key] = text

    def _show(self) -> None:
        """Show what was typed for the chosen joint, and what its file says."""
        typed = self.values.get(str(self.joint.value or ""), {})
        for (group, key), field in self.fields.items():
            text = typed.get(group, {}).get(key, "")
            if field.value != text:
                field.set_value(text)
        joint = next((j for j in self.joints if j["name"] == self.joint.value), None)
        self.known.set_text("" if joint is None else self._said(joint))

    def _said(self, joint: dict[str, Any]) -> str:
        """What is known of a joint's drive, at the joint."""
        force, rate = ("N m", "rad/s") if joint["turns"] else ("N", "m/s")
        known = []
        if joint["torque"] is not None:
            known.append(f"{joint['torque']:.4g} {force}")
        if joint["speed"] is not None:
            known.append(f"{joint['speed']:.4g} {rate}")
        inertia = self.words("drives_inertia", value=f"{joint['inertia']:.4g}")
        known.append(inertia if joint["inertia"] else self.words("drives_no_inertia"))
        known += [] if joint["friction"] else [self.words("drives_no_friction")]
        return self.words("drives_known", known=", ".join(known))

    async def _attach(self) -> None:
        await self.attach(drive_file([joint["name"] for joint in self.joints], self.values))
