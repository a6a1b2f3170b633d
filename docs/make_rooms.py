"""Draws docs/images/rooms.svg: the way of the data through the rooms, for CONTRIBUTING.md."""

from pathlib import Path

from erfd.ground.files import write_text

IMAGE = Path(__file__).parent / "images" / "rooms.svg"
WIDTH, HEIGHT = 1180, 560
BOX = {
    "data": ("#eef3f8", "#5b7a99"),
    "room": ("#ffffff", "#22313f"),
    "end": ("#f3f7ee", "#6b8a3a"),
}

# name: (x, y, width, kind, title, small lines)
NODES = {
    "files": (20, 20, 170, "data", "robot file", "TOML, URDF, parts"),
    "robot": (230, 20, 150, "room", "robot/", "what is this machine?"),
    "dynamics": (420, 20, 150, "room", "dynamics/", "the equations"),
    "kernels": (610, 20, 160, "room", "kernels/", "trace, count, compile"),
    "mechanics": (810, 20, 160, "room", "mechanics/", "the public functions"),
    "drives": (1000, 20, 160, "room", "drives/", "what motors can give"),
    "text": (20, 150, 170, "data", "L-IRL program", "text, input signals"),
    "lirl": (230, 150, 150, "room", "lirl/", "text -> moves"),
    "planning": (420, 150, 150, "room", "planning/", "moves -> trajectory"),
    "ik": (230, 250, 150, "room", "ik/", "which joints reach it?"),
    "csv": (420, 250, 150, "data", "trajectory", "CSV, your own arrays"),
    "achieve": (610, 150, 160, "room", "achieve/", "Algorithm 1"),
    "forward": (610, 250, 160, "room", "forward/", "torques, volts -> motion"),
    "run": (810, 200, 160, "room", "run/", "Run: columns, events"),
    "exports": (1000, 200, 160, "end", "run files", "Parquet, CSV, MCAP"),
    "cell": (420, 370, 150, "room", "cell/", "what stands around it"),
    "verification": (610, 370, 160, "room", "verification/", "can it do the program?"),
    "report": (810, 370, 160, "room", "report/", "tables, plots, pages"),
    "page": (1000, 370, 160, "end", "report.html", "tables, --json, plots"),
    "studio": (610, 480, 160, "room", "studio/, shell/", "browser; CMU sim"),
    "monitor": (810, 480, 160, "room", "monitor/", "live streams"),
    "codegen": (1000, 480, 160, "room", "codegen/", "C99 for controllers"),
    "commands": (
        230,
        480,
        340,
        "room",
        "commands/",
        "the erfd command: every room has its group there",
    ),
}
ARROWS = [
    ("files", "robot"), ("robot", "dynamics"), ("dynamics", "kernels"), ("kernels", "mechanics"),
    ("mechanics", "drives"), ("text", "lirl"), ("lirl", "planning"), ("planning", "achieve"),
    ("ik", "planning"), ("csv", "achieve"), ("achieve", "run"), ("forward", "run"),
    ("run", "exports"), ("cell", "verification"), ("run", "report"), ("run", "verification"),
    ("verification", "report"), ("report", "page"), ("verification", "studio"),
    ("drives", "achieve"),
]  # fmt: skip
TALL = 60


def box(name: str) -> str:
    """One box with its two lines of text."""
    x, y, width, kind, title, small = NODES[name]
    fill, line = BOX[kind]
    middle = x + width / 2
    face = "" if kind == "data" else " font-weight='700'"
    return (
        f"<rect x='{x}' y='{y}' width='{width}' height='{TALL}' rx='7' fill='{fill}'"
        f" stroke='{line}' stroke-width='1.5'/>"
        f"<text x='{middle}' y='{y + 26}' font-size='16'{face}>{title}</text>"
        f"<text x='{middle}' y='{y + 46}' font-size='12.5' fill='#566573'>{small}</text>"
    )


def arrow(start: str, end: str) -> str:
    """A line from one box to another, from the sides that face each other."""
    x0, y0, w0 = NODES[start][:3]
    x1, y1, w1 = NODES[end][:3]
    if x0 + w0 <= x1:
        a, b = (x0 + w0, y0 + TALL / 2), (x1, y1 + TALL / 2)
    elif x1 + w1 <= x0 and y0 == y1:
        a, b = (x0, y0 + TALL / 2), (x1 + w1, y1 + TALL / 2)
    elif y0 < y1:
        a, b = (x0 + w0 / 2, y0 + TALL), (x1 + w1 / 2, y1)
    else:
        a, b = (x0 + w0 / 2, y0), (x1 + w1 / 2, y1 + TALL)
    return (
        f"<line x1='{a[0]}' y1='{a[1]}' x2='{b[0]}' y2='{b[1]}' stroke='#7f8c8d'"
        " stroke-width='1.6' marker-end='url(#tip)'/>"
    )


def main() -> None:
    """Write the picture."""
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}'"
        " font-family='system-ui, sans-serif' text-anchor='middle'>",
        "<defs><marker id='tip' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='7'"
        " markerHeight='7' orient='auto'><path d='M0 0 L10 5 L0 10 z' fill='#7f8c8d'/></marker>"
        "</defs>",
        f"<rect width='{WIDTH}' height='{HEIGHT}' fill='#ffffff'/>",
        *(arrow(*pair) for pair in ARROWS),
        *(box(name) for name in NODES),
        "</svg>\n",
    ]
    write_text(IMAGE, "\n".join(parts))


if __name__ == "__main__":
    main()
