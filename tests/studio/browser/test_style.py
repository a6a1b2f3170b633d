"""The colours of the page."""

import re
from pathlib import Path

import pytest

import erfd


def luminance(color: str) -> float:
    """Of a colour #rrggbb, as WCAG 2 defines it."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [":root", ".body--dark"])
def test_every_text_can_be_read_on_every_ground(theme):
    """Contrast of 4.5 and more, which WCAG 2 asks of small text (AA), in light and in dark."""
    sheet = (Path(erfd.__file__).parent / "studio" / "browser" / "web" / "style.css").read_text()
    rule = re.search(rf"^{re.escape(theme)} {{(.*?)}}", sheet, re.DOTALL | re.MULTILINE).group(1)
    colors = dict(re.findall(r"--(\w+): (#\w{6});", rule))
    for text in ("ink", "soft", "accent", "good", "bad", "warn"):
        for ground in ("card", "back", "hover"):
            low, high = sorted(luminance(colors[name]) for name in (text, ground))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)
