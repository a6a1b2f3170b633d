"""docs/figures.toml: README and pages quote its figures and no others."""

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import erfd
import figures
from erfd.verification.tables import print_verification
from figures import Figure, like, measured, pages, quoted
from support.pages import prose
from support.paths import ROOT

FIGURES = figures.figures()
README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMES = (
    "release 0.2.0",
    "Python 3.11",
    "Lola 15",
    "Algorithm 1",
    "C99",
    "100,000 states",
    "of 1982",
)
"""Numbers that are no figures."""


def named(name: str) -> Figure:
    return next(figure for figure in FIGURES if figure.name == name)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_pages_quote_the_figure_as_it_is(figure: Figure) -> None:
    assert figure.kind in figures.KINDS
    assert len(figure.read) == len(figure.values)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", figure.date)
    missing = set(figure.quotes)
    for page in pages():
        for pattern, match in quoted(figure, page.read_text(encoding="utf-8")):
            missing.discard(pattern)
            said = match.groups()
            assert said == figure.values[: len(said)], f"{page.name}: {match[0]:.80}"
    assert not missing, "no page quotes it"


def test_every_figure_of_the_readme_is_kept() -> None:
    text = prose(README)
    for figure in FIGURES:
        for pattern in figure.quotes:
            text = re.sub(pattern, "", text, flags=re.S)
    for name in NAMES:
        text = text.replace(name, "")
    text = re.sub(r"\]\([^)]*\)|`[^`]*`", "", text)
    assert re.findall(r".{0,30}\d.*", text) == []


def test_another_value_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And written into the page by `--keep`."""
    page = tmp_path / "page.md"
    page.write_text("It is 650 times faster than real time, all of it.")
    figure = named("real-time")
    ((_, match),) = quoted(figure, page.read_text())
    assert match.groups() != figure.values
    kept = tmp_path / "figures.toml"
    kept.write_bytes(figures.FIGURES.read_bytes())
    monkeypatch.setattr(figures, "FIGURES", kept)
    monkeypatch.setattr(figures, "pages", lambda: (page,))
    figures.keep(figure, ("701",))
    assert page.read_text() == "It is 701 times faster than real time, all of it."
    again = next(f for f in figures.figures(kept) if f.name == "real-time")
    assert again.values == ("701",)
    assert again.date > figure.date
    assert kept.read_text().count("\n") == figures.FIGURES.read_text().count("\n")


@pytest.mark.parametrize(
    ("old", "value", "text"),
    [
        ("39", 38.94, "39"),
        ("2,800", 123456, "123,456"),
        ("13.46", 13.4, "13.40"),
        ("1.3", 2, "2.0"),
    ],
)
def test_written_as_before(old: str, value: float, text: str) -> None:
    assert like(old, value) == text


def test_counts_have_only_grown() -> None:
    from soak import KEPT, read_tallies, table

    for figure in FIGURES:
        if figure.kind == "at-least":
            now = measured(figure, table(read_tallies(KEPT)))
            for new, old in zip(now, figure.values, strict=True):
                assert int(new.replace(",", "")) >= int(old.replace(",", ""))


def test_the_verdict_of_the_readme() -> None:
    """As text, as the command prints it; the trials have tests of their own."""
    line = "erfd verify lola15_demo --robot lola15 --wrench 100,100,-150"
    assert line in README.splitlines()
    found = erfd.verify("lola15_demo", "lola15", wrench=[100, 100, -150, 0, 0, 0])
    out = StringIO()
    print_verification(found, None, Console(file=out, width=200))
    block = README.partition("```text\n")[2].partition("```")[0]
    *told, override = block.splitlines()
    assert [words for words in told if words not in out.getvalue()] == []
    assert override == f"  feasible with a speed override of {named('demonstration').values[0]} %"
    assert measured(named("duration"), out.getvalue()) == named("duration").values
