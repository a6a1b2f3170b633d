"""Files of strangers: read in a worker within limits, and refused with a sentence beyond them."""

import pytest

from erfd.errors import InputError
from erfd.studio import limits
from erfd.studio.jobs.reading import read_cell, read_program, read_robot, unpacked
from support.studio_jobs import BLOCK, OWN_CELL


def read(function, path):
    return function({"path": str(path)}, lambda part, stage: None)


def urdf(joints: int) -> str:
    """A chain of so many joints."""
    links = "".join(f'<link name="l{k}"/>' for k in range(joints + 1))
    chain = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/>'
        '<limit effort="1" velocity="1" lower="-1" upper="1"/></joint>'
        for k in range(joints)
    )
    return f'<robot name="r">{links}{chain}</robot>'


def test_a_chain_of_3000_joints_is_a_sentence_at_once(tmp_path):
    path = tmp_path / "chain.urdf"
    path.write_text(urdf(3000))
    with pytest.raises(InputError, match=f"joints: expected at most {limits.JOINTS}, found 201"):
        read(read_robot, path)


def test_elements_inside_each_other(tmp_path):
    path = tmp_path / "deep.urdf"
    path.write_text("<robot name='r'>" + "<link>" * 5000 + "</link>" * 5000 + "</robot>")
    with pytest.raises(InputError, match="elements inside each other: expected at most 60"):
        read(read_robot, path)


def test_a_cell_of_20000_boxes_is_a_sentence_at_once(tmp_path):
    path = tmp_path / "hall.toml"
    thing = '[[object]]\nname = "b{}"\nshape = "box"\nsize = [1, 1, 1]\nxyz = [9, 9, 9]\n'
    path.write_text("".join(thing.format(k) for k in range(20_000)))
    with pytest.raises(InputError, match="objects: expected at most 2000, found 20000"):
        read(read_cell, path)


def test_what_was_read_comes_back(tmp_path):
    """A cell with its mesh, and a program without its mark and odd line ends."""
    (tmp_path / "mine.toml").write_text(OWN_CELL)
    (tmp_path / "block.stl").write_text(BLOCK)
    cell = unpacked(read(read_cell, tmp_path / "mine.toml")["model"])
    assert cell.name == "mine"
    assert [thing.shape.faces.shape for thing in cell.things] == [(4, 3)]
    (tmp_path / "p.irl").write_bytes("program p;\r\nseq\r\nendseq endprogram".encode("utf-8-sig"))
    assert read(read_program, tmp_path / "p.irl")["text"] == "program p;\nseq\nendseq endprogram"


@pytest.mark.parametrize("data", ["program p;".encode("utf-16"), bytes(99)])
def test_what_is_no_text(tmp_path, data):
    (tmp_path / "p.irl").write_bytes(data)
    with pytest.raises(InputError, match="expected UTF-8 text"):
        read(read_program, tmp_path / "p.irl")


def test_a_text_that_is_too_large(tmp_path):
    (tmp_path / "p.irl").write_bytes(b" " * (limits.BYTES["program"] + 1))
    with pytest.raises(InputError, match="bytes: expected at most 1000000, found 1000001"):
        read(read_program, tmp_path / "p.irl")
