"""MJCF files for the tests: one that is written by hand, and random ones."""

import numpy as np
from scipy.spatial.transform import Rotation

import erfd

ARM = """<mujoco model="two">
  <compiler angle="degree"/>
  <default><joint damping="0.5" armature="0.2"/></default>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 .1"/>
    <body name="base" pos="0 0 0.3"><geom type="box" size=".1 .1 .3" mass="5"/>
      <body name="upper" pos="0 0 0.3" euler="0 0 30">
        <joint name="j1" axis="0 1 0" range="-90 90" frictionloss="1.5"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size=".05" rgba="1 .5 0 1"/>
        <site name="mark" pos=".1 0 0"/>
        <body name="fore" pos="0.4 0 0">
          <joint name="j2" axis="0 1 0" range="-120 120" pos="0.01 0 0.02"
                 actuatorfrcrange="-20 25" ref="15"/>
          <inertial pos=".2 0 0" mass="1.2" fullinertia="0.01 0.02 0.02 0.001 0 0"/>
          <geom type="cylinder" fromto="0 0 0 0.3 0 0" size=".04"/>
          <geom type="ellipsoid" pos=".3 0 0" size=".05 .04 .03" group="3"/>
          <site name="tip" pos=".3 0 0" euler="0 90 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="base" body2="fore"/></contact>
  <actuator>
    <motor name="m1" joint="j1" gear="-50" ctrlrange="-3 4" forcerange="-9 2.5"/>
    <position name="m2" joint="j2" kp="100" ctrlrange="-2 1" forcerange="-30 30"/>
  </actuator>
</mujoco>
"""


def numbers(values) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(values))


def random_arm(seed: int, n: int = 4) -> str:
    """A chain of n bodies of one or two joints of any axis and anchor, some of them branching."""
    rng = np.random.default_rng(seed)

    def place() -> str:
        return f'pos="{numbers(rng.uniform(-0.4, 0.4, 3))}" quat="{numbers(rng.normal(size=4))}"'

    def inertial() -> str:
        a, b, c = rng.uniform(0.001, 0.1, 3)
        moments = numbers((a + b, b + c, a + c))
        return f'<inertial {place()} mass="{rng.uniform(0.1, 9)}" diaginertia="{moments}"/>'

    count = 0

    def joint() -> str:
        nonlocal count
        count += 1
        kind = rng.choice(["hinge", "hinge", "slide"])
        where = f'axis="{numbers(rng.normal(size=3))}" pos="{numbers(rng.uniform(-0.2, 0.2, 3))}"'
        more = f'ref="{rng.uniform(-1, 1)}"' if rng.random() < 0.4 else ""
        return f'<joint name="q{count}" type="{kind}" {where} {more} armature="0.1"/>'

    text = f'<site name="tip" {place()}/>'
    for k in range(n, 0, -1):
        joints = "".join(joint() for _ in range(2 if rng.random() < 0.3 else 1))
        side = f'<body name="side{k}" {place()}>{inertial()}</body>' if rng.random() < 0.4 else ""
        inner = inertial() + joints + f'<site name="s{k}" {place()}/>' + text + side
        text = f'<body name="b{k}" {place()}>{inner}</body>'
    head = '<compiler angle="radian"/><option gravity="1 -2 -9"/>'
    return f'<mujoco model="random">{head}<worldbody>{text}</worldbody></mujoco>'


def mjcf_of(robot: erfd.Robot) -> str:
    """A robot as MJCF with all digits: body i stands where frame i-1 is and turns about its z."""

    def place(rotation, xyz) -> str:
        x, y, z, w = Rotation.from_matrix(np.array(rotation)).as_quat()
        return f'pos="{numbers(xyz)}" quat="{numbers((w, x, y, z))}"'

    text = f'<site name="tool" {place(robot.tool.rotation, robot.tool.xyz)}/>'
    for i in range(robot.n - 1, -1, -1):
        joint, link = robot.joints[i], robot.links[i]
        moved = f'<body name="frame {i + 1}" {place(*joint.placement)}>'
        if link.mass:
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia
            tensor = numbers((xx, yy, zz, xy, xz, yz))
            center = numbers(link.center)
            moved += f'<inertial pos="{center}" mass="{link.mass!r}" fullinertia="{tensor}"/>'
        kind = "hinge" if joint.revolute else "slide"
        own = f'<joint name="{joint.name}" type="{kind}" axis="0 0 1" armature="0.1"/>'
        text = f'<body name="body {i + 1}">{own}{moved}{text}</body></body>'
    text = f'<body name="start" {place(robot.base.rotation, robot.base.xyz)}>{text}</body>'
    return f'<mujoco model="{robot.name}"><worldbody>{text}</worldbody></mujoco>'
