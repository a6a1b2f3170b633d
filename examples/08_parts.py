"""An arm from drawings: links of parts, parts of simple shapes; then what a thinner tube saves."""

import tempfile
from pathlib import Path

import numpy as np

import erfd
from erfd.robot.parts import read, weigh

DRAWING = """
format = 1
name = "boom"
angle_unit = "deg"

[part.motor]                     # as weighed, and drawn as a cylinder
[[part.motor.section]]
shape = "cylinder"
radius = 0.05
length = 0.09
mass = 2.4

[[joint]]
name = "shoulder"
a = 0.6
[[joint]]
name = "elbow"
a = 0.5

[[link]]
name = "upper arm"
frame = { xyz = [-0.6, 0.0, 0.0] }     # drawn from the shoulder; frame 1 is at the elbow
[[link.part]]
use = "motor"
name = "elbow motor"
xyz = [0.6, 0.0, 0.0]
[[link.part]]
name = "tube"
[[link.part.section]]
shape = "box"
size = [0.5, 0.08, 0.08]
inner_size = [0.5, INNER, INNER]
xyz = [0.3, 0.0, 0.0]
material = "aluminium"

[[link]]
name = "forearm"
frame = { xyz = [-0.5, 0.0, 0.0] }     # drawn from the elbow
[[link.part]]
name = "plate"
[[link.part.section]]
shape = "box"
size = [0.4, 0.06, 0.01]
xyz = [0.2, 0.0, 0.0]
material = "aluminium"
[[link.part.section]]
name = "nose"
shape = "semi-cylinder"
radius = 0.03
length = 0.01
xyz = [0.4, 0.0, 0.0]
rpy = [0.0, 0.0, -90.0]
material = "aluminium"
[[link.part.section]]
name = "lightening hole"
shape = "cylinder"
radius = 0.02
length = 0.01
xyz = [0.25, 0.0, 0.0]
material = "aluminium"
hole = true
[[link.part]]
use = "motor"
name = "gripper motor"
xyz = [0.45, 0.0, 0.05]
"""

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "boom.parts.toml"
    for inner in (0.06, 0.074):
        path.write_text(DRAWING.replace("INNER", str(inner)))
        robot = erfd.load(path)  # built on the fly; `erfd parts build` writes boom.toml
        print(f"tube with walls of {500 * (0.08 - inner):g} mm: {robot}")
        for link in weigh(read(path)):
            x, y, z = link.body.center
            print(f"  {link.name}: {link.body.mass:.3f} kg at ({x:.3f}, {y:.3f}, {z:.3f}) m")
            for part in link.items:
                print(f"    {part.name}: {part.body.mass:.3f} kg")
        inertia = erfd.mass_matrix(robot, [0.0, 0.0])[0, 0]
        print(f"  the shoulder turns {inertia:.3f} kg m2, stretched out")

arm = erfd.load("cmu_dd")  # bundled, built from src/erfd/robot/data/cmu_dd.parts.toml
inertia = np.diag(erfd.mass_matrix(arm, [0.0] * 6))
seconds = inertia * [d.resistance / d.torque_constant**2 for d in arm.drives]
print(f"{arm.title}: {sum(link.mass for link in arm.links):.1f} kg move")
print(f"  mechanical time constants, hanging: {(1000 * seconds).round(1)} ms")
