"""Pairs of links that may touch, from the SRDF file beside a URDF."""

import pytest

import erfd
from erfd.errors import RobotError
from erfd.robot.readers.srdf import read_touching, touching_beside
from support.mesh_files import chain

BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'


def srdf(path, *pairs, robot="chain"):
    rows = "".join(f'<disable_collisions link1="{a}" link2="{b}" reason="x"/>' for a, b in pairs)
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'<robot name="{robot}">{rows}</robot>')
    return path


def test_pairs_of_bodies_that_may_touch(tmp_path):
    file = chain(tmp_path / "urdf" / "arm.urdf", BALL, BALL, BALL, BALL)
    assert erfd.load(file).touching == ()
    srdf(tmp_path / "urdf" / "arm.srdf", ("a", "c"), ("d", "b"), ("a", "b"))
    assert erfd.load(file).touching == (("base", "c"), ("b", "d"))


def test_which_file_belongs_to_a_robot(tmp_path):
    file = tmp_path / "urdf" / "arm.urdf"
    file.parent.mkdir()
    assert touching_beside(file, "chain") == ()
    srdf(tmp_path / "srdf" / "other.srdf", ("a", "b"), robot="other")
    assert touching_beside(file, "chain") == ()
    srdf(tmp_path / "srdf" / "moveit.srdf", ("a", "c"))
    assert touching_beside(file, "chain") == (("a", "c"),)
    srdf(tmp_path / "srdf" / "second.srdf", ("a", "d"))
    assert touching_beside(file, "chain") == ()
    srdf(tmp_path / "srdf" / "chain.srdf", ("b", "d"))
    assert touching_beside(file, "chain") == (("b", "d"),)
    assert touching_beside(file, "chain", within=tmp_path / "urdf") == ()


def test_mistakes(tmp_path):
    path = tmp_path / "a.srdf"
    for text, sentence in (
        ("<robot", "a.srdf: expected XML: "),
        (
            '<robot><disable_collisions link1="a"/></robot>',
            "a.srdf: <disable_collisions>: expected",
        ),
        ('<!DOCTYPE a [<!ENTITY x "y">]><robot/>', "a.srdf: expected an SRDF file of at most 4 MB"),
    ):
        path.write_text(text)
        with pytest.raises(RobotError) as caught:
            read_touching(path)
        assert str(caught.value).startswith(sentence)
