"""Xacro files: expanded where the package is installed, a sentence where not."""

import sys

import pytest

import erfd
from erfd.errors import MissingDependencyError, RobotError
from support.urdf_files import SMALL

HEAD = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="two_joints">'


def test_macros_and_numbers(tmp_path):
    pytest.importorskip("xacro")
    text = SMALL.read_text()
    text = (
        HEAD
        + '<xacro:property name="limit" value="2"/>'
        + text[text.index(">", text.index("<robot")) + 1 :]
    )
    text = text.replace('upper="2"', 'upper="${limit}"')
    path = tmp_path / "two_joints.urdf.xacro"
    path.write_text(text)
    assert "${limit}" in text
    assert erfd.load(path).joints == erfd.load(SMALL).joints
    with pytest.raises(RobotError, match=r"a xacro file is a program: expand it first"):
        erfd.load(path, within=tmp_path)
    path.write_text(text.replace('name="limit"', 'name="other"'))
    with pytest.raises(
        RobotError, match=r"two_joints\.urdf\.xacro: xacro cannot expand it: .*limit"
    ):
        erfd.load(path)


def test_without_the_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    path = tmp_path / "a.xacro"
    path.write_text("<robot/>")
    with pytest.raises(MissingDependencyError, match=r"a\.xacro: reading xacro needs the package"):
        erfd.load(path)


def test_sdf_is_a_sentence(tmp_path):
    path = tmp_path / "a.sdf"
    path.write_text("<sdf/>")
    with pytest.raises(RobotError, match=r"a\.sdf: expected URDF, xacro or MJCF, found SDF"):
        erfd.load(path)
