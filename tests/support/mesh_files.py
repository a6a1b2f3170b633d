"""Meshes for the tests, written by trimesh, and a URDF that shows them."""

from itertools import pairwise
from pathlib import Path

import trimesh

LINK = (
    '<link name="{name}"><inertial><mass value="1"/>'
    '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>{shapes}</link>'
)
JOINT = (
    '<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
    '<origin xyz="{xyz}"/><axis xyz="0 1 0"/>'
    '<limit lower="-3" upper="3" effort="10" velocity="2"/></joint>'
)


def box_file(path: Path, color: tuple[int, ...] | None = None, size: float = 1.0) -> Path:
    """A box of size x 2 size x 3 size in the format that the name asks for."""
    mesh = trimesh.creation.box((size, 2 * size, 3 * size))
    if color is not None:
        look = trimesh.visual.material.PBRMaterial(baseColorFactor=(*color, 255))
        simple = trimesh.visual.material.SimpleMaterial(diffuse=(*color, 255))
        kind = simple if path.suffix == ".obj" else look
        uv = [[0.0, 0.0]] * len(mesh.vertices)
        mesh.visual = trimesh.visual.TextureVisuals(uv=uv, material=kind)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gltf":  # trimesh would leave its files open
        for name, data in mesh.export(file_type="gltf").items():
            (path if name.endswith(".gltf") else path.parent / name).write_bytes(data)
        return path
    mesh.export(path)
    return path


def shape(tag: str, file: str, more: str = "", scale: str = "") -> str:
    """A visual or a collision that is a mesh."""
    factor = f' scale="{scale}"' if scale else ""
    return f'<{tag}>{more}<geometry><mesh filename="{file}"{factor}/></geometry></{tag}>'


def chain(path: Path, *shapes: str, length: float = 0.4) -> Path:
    """A URDF of links a, b, c, .. with these shapes, each `length` m beyond the one before."""
    names = [chr(ord("a") + i) for i in range(len(shapes))]
    text = [LINK.format(name=n, shapes=s) for n, s in zip(names, shapes, strict=True)]
    for parent, child in pairwise(names):
        xyz = f"0 0 {length}"
        text.append(JOINT.format(name=f"to_{child}", parent=parent, child=child, xyz=xyz))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'<robot name="chain">{"".join(text)}</robot>')
    return path
