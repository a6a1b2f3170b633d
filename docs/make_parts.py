"""Makes the drawings of docs/parts.md: every kind of section with its axes, a part, cmu_dd."""

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import ArrayLike, NDArray

import erfd
from erfd.report.plots.robot_picture import draw_robot, equal_corners, faces_of
from erfd.report.plots.run import save_figure
from erfd.robot.parts import read

IMAGES = Path(__file__).parent / "images"
AXES = {"x": "#c92a2a", "y": "#2b8a3e", "z": "#1864ab"}
FACE, EDGE, INNER, SIZE = "#a5b4c4", "#495057", "#868e96", "#343a40"
SIDES = 72
Array = NDArray[np.float64]


def stage(
    ax: Any,
    reach: float,
    middle: Sequence[float] = (0, 0, 0),
    *,
    elev: float = 24,
    azim: float = -52,
) -> None:
    """A plain stage, `reach` to every side of its middle, seen from afar."""
    limits = {f"{k}lim": (c - reach, c + reach) for k, c in zip("xyz", middle, strict=True)}
    ax.set(**limits)
    ax.set_box_aspect((1, 1, 1), zoom=1.5)
    ax.set_proj_type("ortho")
    ax.view_init(elev=elev, azim=azim)
    ax.set_axis_off()


def axes(ax: Any, length: float) -> None:
    """The frame of the section."""
    for k, (name, color) in enumerate(AXES.items()):
        tip = np.eye(3)[k] * length
        ax.quiver(0, 0, 0, *tip, color=color, lw=2, arrow_length_ratio=0.1, zorder=9)
        ax.text(*(tip * 1.08), name, color=color, fontsize=12, weight="bold", zorder=10)


def solid(ax: Any, faces: Sequence[Array], color: str = FACE) -> None:
    """Translucent faces."""
    ax.set_autoscale_on(False)
    patch = Poly3DCollection(equal_corners(list(faces)), facecolors=color, alpha=0.22, linewidths=0)
    ax.add_collection3d(patch)


def line(ax: Any, points: ArrayLike, *, inner: bool = False, closed: bool = True) -> None:
    """An edge of the shape, dashed if it is one of the hollow."""
    path = np.array(points, float)
    path = np.vstack([path, path[:1]]) if closed else path
    style = {"color": INNER, "ls": (0, (4, 3)), "lw": 1.0} if inner else {"color": EDGE, "lw": 1.2}
    ax.plot(*path.T, **style)


def size(
    ax: Any, start: ArrayLike, end: ArrayLike, text: str, shift: ArrayLike = (0, 0, 0)
) -> None:
    """A dimension from one point to another, its name beside the middle."""
    a, b = np.array(start, float), np.array(end, float)
    ax.plot(*np.array([a, b]).T, color=SIZE, lw=1.1, marker="|", ms=6, zorder=8)
    middle = (a + b) / 2 + shift
    ax.text(*middle, text, fontsize=9.5, color=SIZE, ha="center", va="center", zorder=11)


def circle(radius: float, z: float, turn: float = 2 * np.pi) -> Array:
    """Points of an arc about z."""
    angle = np.linspace(0, turn, SIDES + 1)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(SIDES + 1, z)], -1)


def cylinder(ax: Any) -> None:
    """radius, inner_radius, length."""
    r, s, half = 0.5, 0.28, 0.6
    solid(ax, faces_of(erfd.Visual("cylinder", (r, 2 * half)), SIDES))
    for z in (-half, half):
        line(ax, circle(r, z))
        line(ax, circle(s, z), inner=z < 0)
    for angle in (np.radians(38), np.radians(218)):
        x, y = r * np.cos(angle), r * np.sin(angle)
        line(ax, [(x, y, -half), (x, y, half)], closed=False)
    size(ax, (0, 0, half), (r, 0, half), "radius", (0.2, -0.12, 0.06))
    size(ax, (0, 0, half), (0, -s, half), "inner_radius", (-0.28, -0.1, 0.1))
    size(ax, (0.62, 0.3, -half), (0.62, 0.3, half), "length", (0.17, 0.1, 0.0))
    axes(ax, 0.95)


def semi_cylinder(ax: Any) -> None:
    """The flat side is y = 0, the body is at y >= 0."""
    r, s, half = 0.6, 0.36, 0.5
    bow = circle(r, 0.0, np.pi)[:, :2]
    arch = np.vstack([bow, circle(s, 0.0, np.pi)[::-1, :2]])
    low, high = (np.column_stack([arch, np.full(len(arch), z)]) for z in (-half, half))
    sides = [np.array([low[k - 1], low[k], high[k], high[k - 1]]) for k in range(len(arch))]
    solid(ax, [low, high, *sides])
    for end in (low, high):
        line(ax, end)
    for x in (-r, -s, s, r):
        line(ax, [(x, 0, -half), (x, 0, half)], closed=False)
    x, y = r * np.cos(0.66), r * np.sin(0.66)
    line(ax, [(x, y, -half), (x, y, half)], closed=False)
    line(ax, [(-r, 0, half), (r, 0, half)], inner=True, closed=False)
    size(ax, (0, 0, half), (r, 0, half), "radius", (0.05, -0.2, -0.04))
    angle = np.radians(150)
    end = (s * np.cos(angle), s * np.sin(angle), half)
    size(ax, (0, 0, half), end, "inner_radius", (0.02, -0.3, 0.1))
    size(ax, (-r, -0.12, -half), (-r, -0.12, half), "length", (-0.2, 0, 0))
    axes(ax, 0.95)


def box(ax: Any) -> None:
    """size, inner_size."""
    x, y, z = 1.1, 0.8, 0.7
    solid(ax, faces_of(erfd.Visual("box", (x, y, z))))
    for edges, inner in (((x, y, z), False), ((0.8, 0.52, z), True)):
        a, b, c = np.array(edges) / 2
        for level in (-c, c):
            corners = [(a, b, level), (-a, b, level), (-a, -b, level), (a, -b, level)]
            line(ax, corners, inner=inner)
        for u, v in ((a, b), (-a, b), (-a, -b), (a, -b)):
            line(ax, [(u, v, -c), (u, v, c)], inner=inner, closed=False)
    a, b, c = x / 2, y / 2, z / 2
    size(ax, (-a, -b - 0.1, -c), (a, -b - 0.1, -c), "size[0]", (0.0, -0.08, -0.08))
    size(ax, (a + 0.1, -b, -c), (a + 0.1, b, -c), "size[1]", (0.16, 0.0, -0.08))
    size(ax, (-a - 0.08, -b, -c), (-a - 0.08, -b, c), "size[2]", (-0.2, 0, 0))
    ax.text(-0.2, -0.05, c + 0.02, "inner_size", fontsize=9.5, color=INNER)
    axes(ax, 0.95)


def sphere(ax: Any) -> None:
    """radius, inner_radius."""
    r, s = 0.65, 0.4
    solid(ax, faces_of(erfd.Visual("sphere", (r,)), SIDES))
    for radius, inner in ((r, False), (s, True)):
        ring = circle(radius, 0.0)
        line(ax, ring, inner=inner)
        line(ax, ring[:, [0, 2, 1]], inner=inner)
        line(ax, ring[:, [2, 0, 1]], inner=inner)
    for radius, angle, text in ((r, 0.35, "radius"), (s, -2.0, "inner_radius")):
        end = (radius * np.cos(angle), 0.0, radius * np.sin(angle))
        size(ax, (0, 0, 0), end, text, (0.1, -0.1, 0.12) if radius == r else (-0.3, 0, -0.12))
    axes(ax, 1.0)


def prism(ax: Any) -> None:
    """points, inner_points, length: corners where they are given, not about the centroid."""
    outer = np.array([(0.0, 0.0), (0.9, -0.1), (1.05, 0.45), (0.55, 0.85), (0.05, 0.6)])
    hole = np.array([(0.3, 0.15), (0.75, 0.12), (0.7, 0.45), (0.35, 0.5)])
    half = 0.35
    solid(ax, faces_of(erfd.Visual("prism", (2 * half, *outer.ravel().tolist()))))
    for z in (-half, half):
        line(ax, np.column_stack([outer, np.full(len(outer), z)]))
        line(ax, np.column_stack([hole, np.full(len(hole), z)]), inner=True)
    for x, y in outer:
        line(ax, [(x, y, -half), (x, y, half)], closed=False)
    for k, (x, y) in enumerate(outer):
        out = np.array([x, y]) + 0.22 * (np.array([x, y]) - outer.mean(axis=0))
        text = f"points[{k}]"
        ax.text(*out, half + 0.04, text, fontsize=8.5, color=SIZE, ha="center", zorder=11)
    ax.text(0.55, 0.22, half + 0.02, "inner_points", fontsize=8, color=INNER, ha="center")
    size(ax, (-0.1, 0, -half), (-0.1, 0, half), "length", (-0.2, 0, -0.1))
    axes(ax, 0.95)


def mesh(ax: Any) -> None:
    """A closed surface in the coordinates of its file; the box is what pictures show of it."""
    found = trimesh.creation.torus(0.42, 0.17, major_sections=40, minor_sections=16)
    found.apply_transform(trimesh.transformations.rotation_matrix(0.5, (1, 0.3, 0), (0, 0, 0)))
    found.apply_translation((0.45, 0.3, 0.2))
    ax.set_autoscale_on(False)
    faces = found.vertices[found.faces]
    ax.add_collection3d(
        Poly3DCollection(faces, facecolors=FACE, alpha=0.35, edgecolors=EDGE, linewidths=0.25)
    )
    low, high = found.bounds
    for z in (low[2], high[2]):
        corners = [(low[0], low[1], z), (high[0], low[1], z), (high[0], high[1], z)]
        line(ax, [*corners, (low[0], high[1], z)], inner=True)
    for x in (low[0], high[0]):
        for y in (low[1], high[1]):
            line(ax, [(x, y, low[2]), (x, y, high[2])], inner=True, closed=False)
    axes(ax, 0.95)


KINDS = {
    "cylinder": (cylinder, 0.9, (0, 0, 0.12)),
    "semi-cylinder": (semi_cylinder, 0.9, (0.05, 0.1, 0.2)),
    "box": (box, 0.9, (0, 0, 0.2)),
    "sphere": (sphere, 0.95, (0, 0, 0.15)),
    "prism": (prism, 0.95, (0.45, 0.25, 0.2)),
    "mesh": (mesh, 0.95, (0.4, 0.25, 0.3)),
}


def cheek_figure() -> Any:
    """The part `large-cheek` of cmu_dd: what it is made of, and what is taken away."""
    file = Path(str(resources.files("erfd.robot") / "data" / "cmu_dd.parts.toml"))
    uses = [use for link in read(file).links for use in link.uses]
    part = next(use.part for use in uses if use.part.name == "large-cheek")
    figure = Figure(figsize=(4.4, 4.2), facecolor="white")
    ax = figure.add_axes((0, 0, 1, 1), projection="3d")
    stage(ax, 0.16, (0.03, 0.0, 0.06), elev=16, azim=-62)
    ax.set(zlim=(0.22, -0.1))  # z of the part points down the arm
    colors = {"plate": "#e8711a", "round end": "#1f6fb2"}
    labels = {
        "round end": (0.075, 0, -0.05),
        "bore for the shaft": (0.085, 0, 0.015),
        "lightening hole": (0.085, 0, 0.12),
        "plate": (0.085, 0, 0.19),
    }
    for section in part.sections:
        kind, sizes = visual_of(section)
        place = np.array(section.pose.rotation)
        faces = [f @ place.T + section.pose.xyz for f in faces_of(erfd.Visual(kind, sizes), SIDES)]
        solid(ax, faces, "#ffffff" if section.hole else colors[section.name])
        for face in faces[:2] if kind == "prism" else [f for f in faces if len(f) != 4]:
            line(ax, face, inner=section.hole)
        if kind == "box":
            for face in faces:
                line(ax, face)
        text = f"{section.name}\n({section.shape.kind}{', hole' if section.hole else ''})"
        at = labels[section.name]
        ax.text(*at, text, fontsize=8.5, color=SIZE, ha="left", va="center", zorder=12)
    axes(ax, 0.06)
    return figure


def visual_of(section: Any) -> tuple[Any, tuple[float, ...]]:
    """Kind and size of a visual for the shapes of the cheek."""
    shape = section.shape
    if shape.kind == "box":
        return "box", shape.size
    if shape.kind == "cylinder":
        return "cylinder", (shape.radius, shape.length)
    bow = circle(shape.radius, 0.0, np.pi)[:, :2]
    return "prism", (shape.length, *bow.ravel().tolist())


def arm_figure() -> Any:
    """cmu_dd as it hangs, and bent."""
    figure = Figure(figsize=(6.4, 6.4), facecolor="white")
    robot = erfd.load("cmu_dd")
    for k, q in enumerate(([0.0] * 6, [0.0, 0.7, 0.3, -1.3, 0.0, 0.7])):
        ax = figure.add_axes((-0.25 + 0.44 * k, 0.0, 1.0, 1.0), projection="3d")
        draw_robot(robot, q, ax)
        ax.patch.set_visible(False)  # the stages overlap
        ax.set_axis_off()
        ax.set_proj_type("ortho")
        ax.set(xlim=(-0.3, 0.6), ylim=(-0.45, 0.45), zlim=(0.6, 2.45))
        ax.set_box_aspect((0.9, 0.9, 1.85), zoom=1.12)
        ax.view_init(elev=14, azim=-58)
    return figure


def main() -> None:
    """All drawings."""
    IMAGES.mkdir(exist_ok=True)
    for kind, (draw, reach, middle) in KINDS.items():
        figure = Figure(figsize=(3.8, 3.4), facecolor="white")
        ax = figure.add_axes((0, 0, 1, 1), projection="3d")
        stage(ax, reach, middle)
        draw(ax)
        save_figure(figure, IMAGES / f"parts-{kind}.png", dpi=100)
    save_figure(cheek_figure(), IMAGES / "parts-cheek.png", dpi=100)
    save_figure(arm_figure(), IMAGES / "parts-cmu_dd.png", dpi=100)


if __name__ == "__main__":
    main()
