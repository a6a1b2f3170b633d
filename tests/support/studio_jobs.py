"""What the studio asks of a worker; a short program, a cell with a mesh."""

from dataclasses import asdict
from pathlib import Path

from erfd.studio.session import Setup


def request(folder: Path, program: str, setup: Setup, **more: object) -> dict:
    return {
        "kind": "verify", "id": "x", "name": "p", "folder": str(folder),
        "program": program, "setup": asdict(setup), "robot_file": None, "cell_file": None,
        "enclosed": False, "advice": False,
    } | more  # fmt: skip


OWN_CELL = """name = "mine"
[mount]
xyz = [0.0, 0.1, 0.3]
[[object]]
shape = "mesh"
file = "block.stl"
xyz = [3.0, 0.0, 0.0]
"""
BLOCK = "\n".join(
    ["solid b"]
    + [
        f"facet normal 0 0 0\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet"
        for a, b, c in (
            ("0 0 0", "0 1 0", "1 0 0"), ("0 0 0", "1 0 0", "0 0 1"),
            ("0 0 0", "0 0 1", "0 1 0"), ("1 0 0", "0 1 0", "0 0 1"),
        )
    ]
    + ["endsolid b"]
)  # fmt: skip
SHORT = "program p; seq move ptp joint(mainjoint(20)); endseq endprogram"
