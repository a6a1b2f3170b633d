"""Damaged and strange motion files of every kind: a trajectory or one sentence, nothing else."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from support.motion_writing import smooth, write_command, write_csv, write_states

T = 0.01 * np.arange(12)
Q = smooth(T, 2)
JOINTS = ["a", "b"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of a good file of each kind, by ending."""
    for package in ("rosbags", "ruamel.yaml", "pandas"):
        pytest.importorskip(package)
    import pandas

    folder = tmp_path_factory.mktemp("good")
    write_csv(folder / "a.csv", ["t", *JOINTS], np.column_stack([T, Q]))
    write_command(folder / "a.yaml", JOINTS, T, Q, Q)
    np.savez(folder / "a.npz", t=T, q=Q)
    pandas.DataFrame({"t": T, "a": Q[:, 0], "b": Q[:, 1]}).to_parquet(folder / "a.parquet")
    bag = write_states(folder / "bag", JOINTS, [round(1e9 * (1 + t)) for t in T], Q)
    next(bag.glob("*.mcap")).rename(folder / "a.mcap")
    bag = write_states(folder / "old", JOINTS, [round(1e9 * (1 + t)) for t in T], Q, mcap=False)
    next(bag.glob("*.db3")).rename(folder / "a.db3")
    found = {path.suffix: path.read_bytes() for path in folder.glob("a.*")}
    assert len(found) == 6
    return found


@pytest.mark.parametrize("suffix", [".csv", ".yaml", ".npz", ".parquet", ".mcap", ".db3"])
@given(data=st.data())
def test_damage_ends_in_a_sentence(
    tmp_path_factory, files: dict[str, bytes], suffix: str, data: st.DataObject
) -> None:
    content = bytearray(files[suffix])
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))))
    path = tmp_path_factory.mktemp("bad") / f"x{suffix}"
    path.write_bytes(content[:cut])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        said = ""
        try:
            found = erfd.read_trajectory(path, 2, joints=JOINTS if suffix != ".npz" else None)
        except InputError as error:
            said = str(error)
    if said:
        assert "\n" not in said
        assert path.name in said
    else:
        assert np.isfinite(found.q).all()
        assert found.n == 2
