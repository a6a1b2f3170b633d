"""Makes docs/images and the measured tables of docs/operation-counts.md: `make docs`."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import erfd
from erfd.dynamics import methods
from erfd.ground.files import write_text
from erfd.report.plots.robot_picture import draw_robot
from erfd.robot.synthetic import general_robot

DOCS = Path(__file__).parent
LONGEST, LAGRANGE_LIMIT = 20, 8
START, END = "<!-- measured: begin -->", "<!-- measured: end -->"
COLORS = {
    "mrnea": "#1f6fb2", "fast": "#e8590c", "wo1": "#2b8a3e", "wo2": "#94d82d", "wo3": "#7048e8",
    "wo4": "#845e3b", "aba": "#c2255c", "denoc": "#f783ac", "lagrange": "#868e96",
    "dalembert": "#b8a01c", "hollerbach": "#0b7285",
}  # fmt: skip


def measure(quantity: str) -> dict[str, list[tuple[int, int]]]:
    """(multiplications, additions) for general robots of n = 1..20 joints, by method."""
    result: dict[str, list[tuple[int, int]]] = {}
    for method in methods.methods_for(quantity):
        longest = LAGRANGE_LIMIT if method == "lagrange" else LONGEST
        counts = [
            erfd.operation_count(general_robot(n), method, quantity) for n in range(1, longest + 1)
        ]
        result[method] = [(c.multiplications, c.additions) for c in counts]
        print(f"{quantity}: {method}: {counts[-1].total} at n = {longest}", file=sys.stderr)
    return result


def extrapolate(counts: list[tuple[int, int]], n: int) -> tuple[int, int]:
    """The polynomial of fourth degree through the measured counts, at n."""
    at = np.arange(1, len(counts) + 1)
    products, sums = (np.polyfit(at, [c[k] for c in counts], 4) for k in (0, 1))
    return round(float(np.polyval(products, n))), round(float(np.polyval(sums, n)))


def growth_figure(counts: dict[str, list[tuple[int, int]]]) -> None:
    """Operations against the number of joints."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), width_ratios=(1.15, 1))
    for method, pairs in counts.items():
        totals = [sum(pair) for pair in pairs]
        at = range(1, len(totals) + 1)
        style = {"color": COLORS[method], "lw": 2.6 if method in ("fast", "mrnea") else 1.5}
        if method == "wo2":  # its trace is that of wo1
            style["ls"] = (0, (3, 3))
        axes[0].loglog(at, totals, label=method, **style)
        axes[1].plot(at, [t / n for t, n in zip(totals, at, strict=True)], **style)
        if method == "lagrange":
            beyond = range(len(totals), LONGEST + 1)
            more = [sum(extrapolate(pairs, n)) for n in beyond]
            axes[0].loglog(beyond, more, ls=":", **style)
    axes[0].set(xlabel="joints n", ylabel="multiplications and additions")
    axes[0].set_title("Forward dynamics of a general arm")
    axes[1].set(xlabel="joints n", ylabel="operations per joint", ylim=(0, 1700))
    axes[1].set_title("Linear growth would be a level line")
    for axis in axes:
        axis.grid(alpha=0.3)
    axes[0].set_xticks(
        [1, 2, 3, 4, 6, 8, 12, 20], labels=["1", "2", "3", "4", "6", "8", "12", "20"]
    )
    axes[0].legend(fontsize=8, ncols=2)
    figure.tight_layout()
    save(figure, "growth")


def count_figure() -> None:
    """Lola 15: ours beside the published counts."""
    from erfd.kernels.published_counts import TABLE_2

    robot = erfd.load("lola15")
    names = ["wo1", "aba", "denoc", "wo3", "mrnea", "fast"]
    ours = [erfd.operation_count(robot, name) for name in names]
    figure, axis = plt.subplots(figsize=(7.2, 3.2))
    y = np.arange(len(names))
    for k, (name, count) in enumerate(zip(names, ours, strict=True)):
        if name in TABLE_2:
            axis.barh(k - 0.2, sum(TABLE_2[name][1:]), 0.36, color="#c3cad3")
        color = "#e8590c" if name == "fast" else "#4c7fb8"
        axis.barh(k + 0.2, count.total, 0.36, color=color)
        axis.text(count.total + 40, k + 0.2, str(count.total), va="center", fontsize=9)
    axis.set_yticks(y, labels=names)
    axis.invert_yaxis()
    axis.set(xlabel="multiplications and additions, Lola 15, one forward dynamics")
    axis.set_title("traced for one robot (blue, orange) and as published (grey)", fontsize=10)
    axis.grid(axis="x", alpha=0.3)
    figure.tight_layout()
    save(figure, "lola15-counts")


def robots_figure() -> None:
    """All bundled robots."""
    poses = {
        "lola15": [0.4, -0.5, 0.3, 0.5, -0.9, 0.0],
        "puma560": [0.3, 0.7, -2.6, 0.0, 0.6, 0.0],
        "stanford": [0.3, -1.2, 0.5, 0.2, 0.6, 0.0],
        "sdt4": [0.4, 0.3, 0.3, 0.4],
        "centrifuge3": [0.5, 0.5, 0.3],
        "cmu_dd": [0.4, 0.5, 0.6, 0.9, 0.5, 0.6],
        "two_link": [0.6, 0.7],
    }
    figure = plt.figure(figsize=(15, 7.6))
    for k, (name, q) in enumerate(poses.items(), 1):
        axis = figure.add_subplot(2, 4, k, projection="3d", computed_zorder=True)
        draw_robot(erfd.load(name), q, axis)
        axis.set_title(name)
        axis.set_axis_off()
        axis.view_init(elev=22, azim=-58)
    figure.tight_layout()
    save(figure, "robots", dpi=110)


def save(figure: plt.Figure, name: str, dpi: int = 130) -> None:
    """Into docs/images, as PNG without a date inside, so that nothing changes needlessly."""
    (DOCS / "images").mkdir(exist_ok=True)
    figure.savefig(DOCS / "images" / f"{name}.png", dpi=dpi, metadata={"Software": None})
    plt.close(figure)


def table(counts: dict[str, list[tuple[int, int]]]) -> str:
    """Markdown: methods down, n across; multiplications + additions."""
    columns = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20)
    lines = ["| method | " + " | ".join(f"n = {n}" for n in columns) + " |"]
    lines.append("|---|" + "---|" * len(columns))
    for method, pairs in counts.items():
        cells = []
        for n in columns:
            measured = n <= len(pairs)
            products, sums = pairs[n - 1] if measured else extrapolate(pairs, n)
            cells.append(f"{products} + {sums}" if measured else f"*{products} + {sums}*")
        lines.append(f"| `{method}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Everything."""
    robots_figure()
    count_figure()
    forward, inverse = measure("forward_dynamics"), measure("inverse_dynamics")
    growth_figure(forward)
    page = DOCS / "operation-counts.md"
    text = page.read_text()
    head, rest = text.split(START, 1)
    tail = rest.split(END, 1)[1]
    body = (
        f"{START}\n\nForward dynamics, multiplications + additions:\n\n{table(forward)}\n\n"
        f"Inverse dynamics, multiplications + additions:\n\n{table(inverse)}\n\n{END}"
    )
    write_text(page, head + body + tail)


if __name__ == "__main__":
    main()
