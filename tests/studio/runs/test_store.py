"""Kept runs: there after a restart, listed when they are whole."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.errors import ErfdError, InputError
from erfd.run.run import Run
from erfd.run.write import read_run, write_parquet
from erfd.studio.runs.store import About, Store


def keep(store: Store, run: Run, name: str) -> About:
    run_id, part = store.new()
    write_parquet(run, part / "run.parquet")
    return store.keep(part, About(run_id, name, "2024-01-01", "lola15", False, 0.9, len(run)))


def test_kept_runs_are_there_after_a_restart(hard_run, tmp_path):
    store = Store(tmp_path / "runs")
    names = ["../../etc/passwd", "šta god", "a" * 500]
    ids = [keep(store, hard_run, name).id for name in names]
    again = Store(tmp_path / "runs")
    assert {about.name for about in again.list()} == set(names)
    assert all(place.name in ids for place in (tmp_path / "runs").iterdir())
    assert read_run(again.path(ids[0])).events == hard_run.events
    assert again.rename(ids[1], "new").name == again.about(ids[1]).name == "new"
    again.delete(ids[0])
    assert len(Store(tmp_path / "runs").list()) == 2
    (tmp_path / "runs" / ids[1] / "about.json").write_text("{")  # damaged: the other is still there
    assert [about.id for about in again.list()] == [ids[2]]
    assert again.damaged() == (ids[1],)
    (tmp_path / "runs" / ids[2] / "run.parquet").unlink()
    assert again.list() == []
    assert set(again.damaged()) == {ids[1], ids[2]}


def test_a_list_that_is_asked_for_again_knows_what_has_changed(hard_run, tmp_path):
    """Remembered entries are those of the disk: renamed or deleted by another studio, too."""
    one, two = Store(tmp_path), Store(tmp_path)
    first, second = keep(one, hard_run, "first"), keep(one, hard_run, "second")
    assert len(one.list()) == len(two.list()) == 2
    two.rename(first.id, "another name")
    assert {about.name for about in one.list()} == {"another name", "second"}
    two.delete(second.id)
    assert [about.name for about in one.list()] == ["another name"]


def test_a_folder_that_cannot_be_written_is_a_sentence(hard_run, tmp_path):
    store = Store(tmp_path / "runs")
    kept = keep(store, hard_run, "x")
    run_id, part = store.new()
    (tmp_path / "runs").rename(tmp_path / "away")
    (tmp_path / "runs").write_text("a file in its place")
    assert store.list() == []
    with pytest.raises(InputError, match="no run can be kept: Not a directory"):
        store.new()
    with pytest.raises(InputError, match="cannot be written"):
        store.keep(part, replace(kept, id=run_id))
    with pytest.raises(InputError, match="expected a kept run, found none"):
        store.delete(kept.id)


def test_what_is_not_finished_is_not_listed(tmp_path):
    store = Store(tmp_path)
    _, part = store.new()
    assert store.list() == []
    store.drop(part)
    assert list(tmp_path.iterdir()) == []
    store.drop(Path("/tmp"))  # not its own: left alone
    assert Path("/tmp").exists()


@settings(deadline=None)
@given(st.text(max_size=40))
def test_an_id_never_leads_out_of_the_folder(tmp_path_factory, text):
    store = Store(tmp_path_factory.getbasetemp() / "runs")
    for act in (store.path, store.about, store.delete, lambda i: store.rename(i, "x")):
        with pytest.raises(ErfdError):
            act(f"../{text}")
        with pytest.raises(ErfdError):
            act(text)
