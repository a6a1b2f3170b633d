"""A study of a program in a worker, and single variants of it as runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...ground.json_text import json_value
from ..limits import at_most
from .verification import Tell, arguments_of, fingerprint_of, kept_verification, reading_of

if TYPE_CHECKING:
    from ...studies.result import FeasibilityMap, Study

MOST_SAMPLES = 200_000
"""Variants of a study in the studio."""
MOST_NAMES = 12
"""Names that vary in it."""
POINTS, GEOMETRY_POINTS = 31, 7
"""Points of a map, each way: of numbers alone, and where every one is planned."""


def work(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Study the `program` of a request: figures and pictures, as data."""
    from ...studies.pictures import area, bars, histogram, sensitivities

    at_most("variants", request["samples"], MOST_SAMPLES)
    at_most("names that vary", len(request["vary"]), MOST_NAMES)
    found = _studied(request, tell, request["samples"])
    tell(0.7, "stage_study_matters")
    rows = found.sensitivity
    tell(0.85, "stage_study_map")
    area_map = _map(found, request.get("map"))
    units = {quantity.name: quantity.unit for quantity in found.evaluator.quantities}
    limits = found.limits
    pictures = {
        "study_margins": histogram(found.rows.margin, "", ""),
        "study_limits": bars([x.limit for x in limits], [x.part for x in limits], "", ""),
        "study_matters": sensitivities(rows, ""),
        "study_map": "" if area_map is None else area(area_map, units, "", clickable=True),
    }
    interval = found.interval
    result: dict[str, Any] = json_value({
        "name": found.name, "count": len(found), "feasible": int(found.rows.feasible.sum()),
        "share": found.share, "interval": interval, "errors": found.errors,
        "limits": [{"limit": x.limit, "part": x.part} for x in limits],
        "worst": found.variant(found.worst_variant) if found.errors < len(found) else None,
        "names": list(found.names), "pictures": pictures,
        "map": None if area_map is None else {
            "x_name": area_map.x_name, "y_name": area_map.y_name,
            "x": area_map.x.tolist(), "y": area_map.y.tolist(),
        },
        "not_checked": list(found.evaluator.unchecked),
        "request": {key: value for key, value in request.items() if key not in ("id", "folder")},
    })  # fmt: skip
    return result


def variant(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Verify one variant of a study, with `values` by name, and write its run into a folder."""
    found = _studied(request, tell, 1)
    tell(0.4, "stage_running")
    verification = found.verification_at({k: float(v) for k, v in request["values"].items()})
    arguments = arguments_of(request)
    arguments["robot"] = verification.robot
    print_of = fingerprint_of(request, arguments)
    tell(0.9, "stage_write")
    said = ", ".join(f"{name} {value:.4g}" for name, value in request["values"].items())
    request |= {"fingerprint": print_of, "name": f"{request['name']}: {said}"}
    return kept_verification(request, verification, {})


def _studied(request: dict[str, Any], tell: Tell, samples: int) -> Study:
    """The study of a request, of so many variants."""
    from ...studies.study import study
    from ...studies.study_file import typed_distributions

    arguments, reading = arguments_of(request), reading_of(request)
    if reading.pop("policy") != "consistent":
        raise InputError("study: expected the policy consistent, found printed")
    robot = arguments.pop("robot")
    vary = typed_distributions(request["vary"], "vary")
    return study(
        request["program"], robot, vary=vary, samples=samples, seed=request["seed"],
        **arguments, **reading, tell=lambda part, what: tell(0.7 * part, "stage_study"),
    )  # fmt: skip


def _map(found: Study, wanted: Any) -> FeasibilityMap | None:
    """The map of the two names that are wanted, else of those that matter most."""
    names = [row.name for row in found.sensitivity if row.name in found.names]
    if isinstance(wanted, list) and len(wanted) == 2 and set(wanted) <= set(names):
        names = wanted
    if len(names) < 2:
        return None
    return found.map(names[0], names[1], GEOMETRY_POINTS if found.evaluator.geometry else POINTS)
