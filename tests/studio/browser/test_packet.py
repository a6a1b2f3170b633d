"""Packets of numbers for the page: aligned."""

import json
import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from erfd.studio.browser.packet import pack


@given(st.lists(st.integers(0, 50), max_size=4), st.text(max_size=30))
def test_packets_are_aligned(sizes, word):
    arrays = {f"a{k}": np.arange(n, dtype="<f4") for k, n in enumerate(sizes)}
    data = pack({"word": word}, **arrays)
    (length, _) = struct.unpack_from("<II", data)
    header = json.loads(data[8 : 8 + length])
    place = 8 + -(-length // 8) * 8
    for entry, (name, array) in zip(header["arrays"], arrays.items(), strict=True):
        assert entry == {"name": name, "kind": "f4", "length": array.size}
        np.testing.assert_array_equal(np.frombuffer(data, "<f4", array.size, place), array)
        place += -(-array.nbytes // 8) * 8
    assert place == len(data)
