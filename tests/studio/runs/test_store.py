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


@pytest.fixture
def described(tmp_path, monkeypatch):
    """A function that keeps runs of which there is little more than a description."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def make(store: Store, name: str, **more: object) -> About:
        run_id, part = store.new()
        (part / "run.parquet").write_bytes(bytes(100))
        about = About(run_id, name, "2024-01-01", "lola15", False, 0.9, 3)
        return store.keep(part, replace(about, **more))

    return make


def test_pages_search_filter_and_tags(described, tmp_path):
    store = Store(tmp_path / "runs")
    kept = [described(store, f"weld {k}", feasible=k % 2 == 0) for k in range(7)]
    store.tag(kept[3].id, ["good one", "good one", " "])
    newest = sorted((about.id for about in kept), reverse=True)
    page = store.page(first=2, count=3)
    assert ([run.id for run in page.runs], page.total) == (newest[2:5], 7)
    assert store.page(search="WELD lola 2024").total == 7
    assert store.page(search="good weld").total == 1
    assert store.page(search="weld paint").total == 0
    assert store.page(verdict="feasible").total == 4
    assert store.page(verdict="not").total == 3
    assert [run.tags for run in store.page(tag="good one").runs] == [("good one",)]
    assert store.page(tag="good").total == 0
    assert store.index.tags() == ["good one"]
    assert store.about(kept[3].id).tags == ("good one",)  # the file has it
    assert store.index.has_name("weld 1")
    assert store.delete_many(store.index.ids(verdict="not")) == 3
    assert store.page().total == 4
    assert not list((tmp_path / "runs").glob(".*.gone"))


def test_an_index_that_is_lost_or_damaged_is_made_anew(described, tmp_path):
    store = Store(tmp_path / "runs")
    kept = [described(store, name) for name in "abc"]
    assert store.page().total == 3
    store.index.path.unlink()
    assert Store(tmp_path / "runs").page().total == 3
    store.index.path.write_bytes(b"no database" * 1000)
    assert {run.name for run in Store(tmp_path / "runs").page().runs} == set("abc")
    (tmp_path / "runs" / kept[0].id / "about.json").write_text("{")
    page = store.page()
    assert page.damaged == (kept[0].id,)
    assert {run.name for run in page.runs} == set("bc")


def test_two_studios_on_one_folder(described, tmp_path):
    """What one keeps, renames and deletes, the other has, whoever has which index."""
    one, two = Store(tmp_path / "runs"), Store(tmp_path / "runs")
    two.index.path = tmp_path / "of another machine.sqlite"
    first, second = described(one, "first"), described(two, "second")
    for store in (one, two):
        assert {run.name for run in store.page().runs} == {"first", "second"}
    two.rename(first.id, "other")
    assert {run.name for run in one.page().runs} == {"other", "second"}
    one.delete(second.id)
    assert [run.name for run in two.page().runs] == ["other"]
    with pytest.raises(InputError, match="expected a kept run, found none"):
        two.delete(second.id)


def test_a_policy_says_what_is_too_much_and_spares_what_has_a_tag(described, tmp_path):
    store = Store(tmp_path / "runs")
    kept = [described(store, str(k), date=f"2024-0{k + 1}-01") for k in range(5)]
    store.tag(min(about.id for about in kept), ["keep"])
    sizes = [run.bytes for run in store.page().runs]
    ids, freed = store.index.surplus(sum(sizes[:2]), "")
    assert ids == sorted((about.id for about in kept), reverse=True)[2:4]
    assert freed == sum(sizes[2:4])
    assert len(store.index.surplus(1e12, "2024-03-01")[0]) in (1, 2)
    assert store.index.surplus(1e12, "") == ([], 0)
    assert store.page().total == 5  # it only says so
