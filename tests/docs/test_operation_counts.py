"""Operation counts of Lola 15 on the pages: each is what is counted."""

import re

import pytest

import erfd
from support.pages import rows
from support.paths import DOCS, ROOT

LOLA = erfd.load("lola15")
PAGE = (DOCS / "operation-counts.md").read_text()


def counted(quantity: str, method: str = "fast") -> tuple[int, int]:
    count = erfd.operation_count(LOLA, method, quantity)
    return count.multiplications, count.additions


@pytest.mark.parametrize(
    "page", ["README.md", "CHANGELOG.md", "docs/operation-counts.md", "docs/codegen.md"]
)
def test_forward_dynamics(page: str) -> None:
    text = (ROOT / page).read_text()
    said = re.findall(r"(\d+) multiplications(?: and|,)\s+(\d+) additions", text)
    assert said == [("350", "304")]
    assert counted("forward_dynamics") == (350, 304)


def test_its_parts() -> None:
    bias, mass = re.search(r"\((\d+ \+ \d+) for the bias, (\d+ \+ \d+) for H,", PAGE).groups()
    for said, quantity in ((bias, "bias"), (mass, "mass_matrix")):
        assert said == "{} + {}".format(*counted(quantity)), quantity


def test_the_roofline_of_the_benchmark() -> None:
    """The table is measured, its operations are counted."""
    table = re.findall(
        r"^\| ([\w ]+) \| (\d+ \+ \d+) \|", (DOCS / "benchmark.md").read_text(), re.M
    )
    quantities = {
        "Forward dynamics": "forward_dynamics",
        "Inverse dynamics": "inverse_dynamics",
        "Mass matrix H": "mass_matrix",
    }
    assert dict(table) == {
        name: "{} + {}".format(*counted(quantity)) for name, quantity in quantities.items()
    }


def test_a_whole_cycle() -> None:
    body = rows(PAGE, "A whole cycle")[1:]
    assert len(body) == 5
    for method, *said in body:
        assert tuple(map(int, said)) == counted("cycle", method.strip("`")), method
