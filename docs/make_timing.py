"""Makes the figure and the measured block of docs/timing.md."""

from pathlib import Path

import numpy as np

import erfd
from erfd.bench import timing as bench
from erfd.ground.files import write_text
from erfd.report.plots.run import save_figure

DOCS = Path(__file__).parent
START, END = "<!-- measured: begin -->", "<!-- measured: end -->"
NAMES = {"erfd": "ERFD", "toppra": "toppra", "copp_py": "copp-py"}
LIMITS = {
    "erfd": "torques, all friction, speeds",
    "toppra": "torques, speeds",
    "copp_py": "accelerations, speeds",
}


def table(data: dict) -> str:
    """What Algorithm 1 makes of the motions of all."""
    head = (
        "| | limits | mean duration s | cycles that saturate | tool off its path, at worst | clean"
        " | ms to compute |"
    )
    rows = [head, "|---|---|---|---|---|---|---|"]
    for name, own in data["rows"].items():
        mean = {key: float(np.mean([row[key] for row in own])) for key in own[0]}
        clean = sum(row["events"] == 0 for row in own)
        worst = 1000 * max(row["deviation"] for row in own)
        rows.append(
            f"| {NAMES[name]} | {LIMITS[name]} | {mean['duration']:.2f} |"
            f" {100 * mean['saturated']:.0f} % | {worst:.0f} mm | {clean} of {len(own)} |"
            f" {1e3 * mean['seconds']:.1f} |"
        )
    return "\n".join(rows)


def main() -> None:
    """Draw the figure, measure, and write the block anew."""
    robot = erfd.load("lola15")
    timing = erfd.fastest(robot, bench.paths(robot, 1)[0])
    save_figure(timing.plot(), DOCS / "images" / "timing-plane.svg")
    data = bench.run()
    text = (
        "Ten random paths of Lola 15 in cycles of 10 ms, run through Algorithm 1 with its friction,"
        f" on one core of an {data['machine']['cpu']}:\n\n{table(data)}\n\n"
        "The first of them, as `timing.explain()` says it:\n\n```\n"
        + "\n".join(timing.explain())
        + "\n```"
    )
    page = DOCS / "timing.md"
    before, rest = page.read_text(encoding="utf-8").split(START, 1)
    after = rest.split(END, 1)[1]
    write_text(page, f"{before}{START}\n\n{text}\n\n{END}{after}")


if __name__ == "__main__":
    main()
