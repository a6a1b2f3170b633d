"""docs/achievable.md: its figures are measured, its names exist."""

import importlib.util
import pkgutil
import re
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from erfd.report.plots import run as plots
from support.paths import DOCS

pytestmark = pytest.mark.usefixtures("compiled")


@cache
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_achievable", DOCS / "make_achievable.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_says_what_is_measured() -> None:
    page = (DOCS / "achievable.md").read_text(encoding="utf-8")
    make = maker()
    found = make.runs()
    assert make.said(found["consistent"]) in page
    assert make.measured(found, make.runs(make.frictionless())) in page


def test_torques_of_the_consistent_policy_produce_its_motion() -> None:
    make = maker()
    found = make.runs()
    run = found["consistent"]
    gap = np.abs(make.needed(run, "consistent") - run["u_a"][1:])
    assert gap.max() < 1e-9
    run = found["printed"]
    for model in ("printed", "consistent"):
        assert (np.abs(make.needed(run, model)) / run["u_a_max"][1:]).max() > 5


def test_names_on_the_page_exist() -> None:
    page = (DOCS / "achievable.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:plot|save)_\w+)\(", page):
        assert callable(getattr(plots, name))
    shown = {f"plot_{name.replace('-', '_')}" for name in plots.PLOTS}
    assert all(f"`{name}(run)`" in page for name in shown)
    named = re.findall(r"`((?:achieve|drives)\.[\w.]+)`", page)
    assert named
    for room, name, *rest in (text.split(".") for text in named):
        folder = importlib.import_module(f"erfd.{room}").__path__
        modules = [f"erfd.{room}.{found.name}" for found in pkgutil.iter_modules(folder)]
        homes = [m for m in map(importlib.import_module, modules) if hasattr(m, name)]
        assert homes, f"{room}.{name}"
        found: Any = getattr(homes[0], name)
        for part in rest:
            found = getattr(found, part)
