"""The demonstration program of 001 (its figure 8): its points as printed, and their geometry."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

# Positions in mm and, where printed, the angles A, B, C in degrees and the CONFIG number.
LISTING = """
s0=((786.9329, 402.9624, 632.855), (15, -60, -175.03779)), 4
s1=position(850.5427, 0, 629.1809)
s2=((821.9198, -402.9624, 572.256), (-15, -60, -175.037)), 8
s3=position(819.1725, -441.6397, 566.7923)
s4=((1019.6465, -571.0567, 669.5612), (-40, -60, -90)), 8
s5=((1238.1590, -421.6189, 810.7015), (-20, -30, -90)), 4
s6=((1317.2706, -249.063, 873.1763), (-10, -45, -175.03779)), 8
s7=((1289.7405, -149.4378, 867.7698), (-5, -40, -175.03779)), 8
s8=((1208.2531, 0, 835.7050), (0, -30, -175.03779)), 8
s9=((1276.7658, 149.4378, 890.2428 - 610), (5, -45, -175.03779)), 8
s10=position(1295.6459, 249.063, 911.1313)
s11=((1201.5523, 421.6189, 874.1061), (10, -60, -175.03779)), 8
s12=((970.0649, 571.0567, 755.4388), (17, -60, -175.03779)), 8
s13=position(780.8275, 441.6398, 633.2077)
"""


def points(s9_lowered: bool) -> dict[str, np.ndarray]:
    result = {}
    for line in LISTING.strip().splitlines():
        name, _, rest = line.partition("=")
        x, y, z = (text.strip() for text in re.search(r"\(([-\d][^()]*)\)", rest)[1].split(","))
        height = float(z.split(" - ")[0]) - (610.0 if " - " in z and s9_lowered else 0.0)
        result[name] = np.array([float(x), float(y), height])
    return result


def angles() -> dict[str, np.ndarray]:
    rows = re.findall(r"(s\d+)=\(\(.*?\), \((.*?)\)\)", LISTING)
    return {name: np.array([float(x) for x in text.split(",")]) for name, text in rows}


def rotation(abc: np.ndarray) -> np.ndarray:
    """Rz(A) Ry(B) Rx(C), degrees."""
    (ca, cb, cc), (sa, sb, sc) = np.cos(np.radians(abc)), np.sin(np.radians(abc))
    rz = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    ry = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    rx = np.array([[1, 0, 0], [0, cc, -sc], [0, sc, cc]])
    return rz @ ry @ rx


@dataclass
class Segment:
    """A line (radius 0) or an arc: size in mm or degrees, unit tangents at its ends."""

    radius: float
    size: float
    leaving: np.ndarray
    arriving: np.ndarray
    center: np.ndarray
    normal: np.ndarray

    @classmethod
    def through(cls, path: list[np.ndarray]) -> Segment:
        if len(path) == 2:
            way = path[1] - path[0]
            length = float(np.linalg.norm(way))
            return cls(0.0, length, way / length, way / length, path[0], np.zeros(3))
        a, b, c = path
        u, v = b - a, c - a
        n = np.cross(u, v)
        center = a + np.cross((u @ u) * v - (v @ v) * u, n) / (2 * n @ n)
        radius = float(np.linalg.norm(a - center))
        n = n / np.linalg.norm(n)
        start, end = (a - center) / radius, (c - center) / radius
        sweep = np.degrees(np.arctan2(np.cross(start, end) @ n, start @ end)) % 360
        return cls(radius, sweep, np.cross(n, start), np.cross(n, end), center, n)

    def point(self, start: np.ndarray, t: float) -> np.ndarray:
        angle = np.radians(self.size) * t
        e = start - self.center
        return self.center + np.cos(angle) * e + np.sin(angle) * np.cross(self.normal, e)
