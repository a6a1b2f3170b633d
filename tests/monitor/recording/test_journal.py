"""Journals: whatever is cut off or damaged, what was whole is read."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.errors import InputError
from erfd.monitor.recording.journal import Journal, in_use, read_journal
from erfd.monitor.viewer.reader import Batch, Message, Restart
from support.recordings import batch_of, hello_of, journal_of


def same(a: object, b: object) -> bool:
    if isinstance(a, Batch):
        arrays = ("numbers", "t", "rows")
        return isinstance(b, Batch) and all(
            np.array_equal(getattr(a, k), getattr(b, k)) for k in arrays
        )
    return a == b


ITEMS = st.one_of(
    st.builds(hello_of, st.integers(0, 100)),
    st.builds(batch_of, st.integers(0, 1000), st.integers(1, 5)),
    st.builds(lambda text: Message("event", {"type": "event", "text": text}), st.text(max_size=20)),
    st.just(Restart()),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("journals")


@settings(max_examples=30, deadline=None)
@given(items=st.lists(ITEMS, min_size=1, max_size=8), data=st.data())
def test_a_journal_cut_anywhere(folder: Path, items: list, data: st.DataObject) -> None:
    """Whole, all items come back; cut, all that were whole, and the rest is counted."""
    whole = journal_of(folder, items)
    path = folder / "x.journal"
    found = read_journal(path)
    assert found.lost == 0
    assert len(found.items) == len(items)
    assert all(same(a, b) for a, b in zip(items, found.items, strict=True))
    size = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:size])
    ends = np.cumsum([len(journal_of(folder, [item])) for item in items])
    path.write_bytes(whole[:size])
    kept = int((ends <= size).sum())
    if kept == 0:
        with pytest.raises(InputError, match="expected a journal of erfd, found nothing of one"):
            read_journal(path)
        return
    found = read_journal(path)
    assert len(found.items) == kept
    assert found.lost == size - ends[kept - 1]


@settings(max_examples=30, deadline=None)
@given(items=st.lists(ITEMS, min_size=3, max_size=8), data=st.data())
def test_a_damaged_journal(folder: Path, items: list, data: st.DataObject) -> None:
    """A changed byte costs the record that it is in and no other."""
    whole = bytearray(journal_of(folder, items))
    ends = np.cumsum([0, *(len(journal_of(folder, [item])) for item in items)])
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    path = folder / "x.journal"
    path.write_bytes(whole)
    hit = int(np.searchsorted(ends, place, side="right")) - 1
    found = read_journal(path)
    left = [item for k, item in enumerate(items) if k != hit]
    assert len(found.items) == len(left)
    assert all(same(a, b) for a, b in zip(left, found.items, strict=True))
    assert found.lost == ends[hit + 1] - ends[hit]


def test_a_journal_is_in_use_until_it_is_closed(tmp_path):
    path = tmp_path / "x.journal"
    journal = Journal(path)
    assert in_use(path)
    journal.close()
    assert not in_use(path)
    assert in_use(tmp_path / "none.journal")  # nothing to recover there
