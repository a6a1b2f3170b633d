"""Erratum 28: the closed forms (B.8)-(B.13) of d_ik and d_ikj of Lola 15 (001, Appendix B)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd import Robot
from support.appendix_a import Names
from support.errata_witness import LOLA, Arm, as_rows, model_of, state
from support.pinocchio_or_skip import pin

Q = np.array([0.5, -0.4, 0.8, 1.1, -0.7, 0.9])
_, QD, QDD = state(6)
Forms = dict[str, np.ndarray]


def lola_with_products() -> Robot:
    """Lola 15 with products of inertia, so that no term vanishes because a tensor is diagonal.

    Link 1 keeps its own: (B.8) leaves out I_xz1 and I_yz1, which are zero on Lola 15.
    """
    rng = np.random.default_rng(28)
    links = [LOLA.links[0]]
    for link in LOLA.links[1:]:
        points = rng.normal(scale=0.2, size=(3, 5))
        second = points @ points.T
        tensor = np.array(link.inertia) + np.trace(second) * np.eye(3) - second
        links.append(replace(link, inertia=as_rows(tensor)))
    return replace(LOLA, links=tuple(links))


ROBOT = lola_with_products()


def printed(q: np.ndarray, robot: Robot, *, corrected: bool = False) -> Forms:
    """(B.8)-(B.13), q4 taken with the sign of erratum 16, v_38.. as `axes` has them.

    What nothing defines is taken as the pattern asks for: (v_38, v_39, v_40) = z_1 x z_4, v_41.. =
    z_3 x z_4, v_44.. = z_1 x z_5, v_50.. = z_4 x z_5; v_47.. = z_3 x z_5 is below (B.7).
    """
    names = Names(q * [1, 1, 1, -1, 1, 1])
    v, c1, s1, c23, s23 = names.v, names.c1, names.s1, names.c23, names.s23
    z0, z1 = np.array([0.0, 0.0, 1.0]), np.array([s1, -c1, 0.0])
    z3, z4, z5 = names.z3, names.y5, names.a6
    forms: dict[str, list[float] | np.ndarray] = {}
    for i, inertia in enumerate(Arm.at(robot, q).inertia, 1):
        x, y, z = np.diag(inertia)
        xy, xz, yz = -inertia[0, 1], -inertia[0, 2], -inertia[1, 2]  # as (B.14) writes them
        if i == 1:
            forms["11"], forms["111"] = [0, 0, z], [0, 0, 0]  # (B.8)
            continue
        d1, d2, d3, d4 = x * s1 + xy * c1, xy * s1 + y * c1, xz * s1 - yz * c1, x + y - z
        d5, d6 = xz * c1 + yz * s1, s1 * c1 * (x - y)
        forms[f"{i}1"], forms[f"{i}2"] = [-xz, -yz, z], [d1, -d2, -d3]  # (B.9)
        forms[f"{i}11"] = [yz, -xz, 0]
        forms[f"{i}12"] = [c1 * d4, s1 * d4, -2 * d5]
        forms[f"{i}22"] = [c1 * d3, s1 * d3, (c1**2 - s1**2) * xy + d6]
        if i >= 3:  # (B.10)
            forms[f"{i}3"], forms[f"{i}13"] = forms[f"{i}2"], forms[f"{i}12"]
            forms[f"{i}23"] = 2 * np.array(forms[f"{i}22"])
            forms[f"{i}33"] = forms[f"{i}22"]
        if i >= 4:  # (B.11)
            d7, d8, d9 = inertia @ z3
            sign = -1 if corrected else 1
            d11, d12, d13 = inertia @ [sign * v[1], sign * v[3], c23]
            forms[f"{i}4"] = [d7, d8, d9]
            forms[f"{i}14"] = [
                2 * yz * s23 - v[4] * d4, v[2] * d4 - 2 * xz * s23, 2 * (xz * v[4] - yz * v[2])
            ]  # fmt: skip
            forms[f"{i}24"] = [
                d11 + sign * v[4] * d3 + s23 * d2 - c1 * d9,  # d_i9, printed b_i9
                d12 + v[2] * d3 + s23 * d1 - s1 * d9,
                d13 - v[4] * d1 - v[2] * d2 + s1 * d8 + c1 * d7,
            ]
            forms[f"{i}34"] = forms[f"{i}24"]
            forms[f"{i}44"] = [v[4] * d9 + sign * s23 * d8, s23 * d7 - v[2] * d9,
                               v[2] * d8 - v[4] * d7]  # fmt: skip
        if i >= 5:  # (B.12)
            e = inertia @ z4  # d_i14, d_i15, d_i16
            d17, d18, d19 = 2 * xz * v[20], 2 * yz * v[20], xz * v[18] - yz * v[16]
            forms[f"{i}5"] = e
            forms[f"{i}15"] = [d18 - v[18] * d4, v[16] * d4 - d17, 2 * d19]
            d21, d22, d23 = inertia @ np.cross(z1, z4)
            forms[f"{i}25"] = [
                v[20] * d2 - v[18] * d3 - c1 * e[2] + d21,
                v[16] * d3 + v[20] * d1 - s1 * e[2] + d22,
                s1 * e[1] + c1 * e[0] - v[16] * d2 - v[18] * d1 + d23,
            ]
            forms[f"{i}35"] = forms[f"{i}25"]
            d24, d25, d26 = inertia @ np.cross(z3, z4)
            forms[f"{i}45"] = [
                d24 + v[4] * e[2] - s23 * e[1] + v[18] * d9 - v[20] * d8,
                d25 - v[2] * e[2] + s23 * e[0] - v[16] * d9 + v[20] * d7,
                d26 + v[2] * e[1] - v[4] * e[0] + v[16] * d8 - v[18] * d7,
            ]
            forms[f"{i}55"] = np.cross(z4, e)
        if i == 6:  # (B.13)
            forms["66"], forms["666"] = inertia @ z5, np.cross(z5, inertia @ z5)
            for k, axis in ((1, z0), (2, z1), (3, z1), (4, z3), (5, z4)):
                form = inertia @ np.cross(axis, z5)
                if corrected:
                    form = form + np.cross(axis, inertia @ z5) + np.cross(z5, inertia @ axis)
                forms[f"6{k}6"] = form
    return {name: np.array(form, dtype=float) for name, form in forms.items()}


def ours(q: np.ndarray, name: str, robot: Robot) -> np.ndarray:
    index = tuple(int(digit) - 1 for digit in name)
    return erfd.terms(robot, q, QD)["d_ik" if len(index) == 2 else "d_ikj"][index]


def errors(robot: Robot, *, corrected: bool = False) -> dict[str, float]:
    """The closed forms that differ by more than rounding, and by how many kg m2."""
    forms = printed(Q, robot, corrected=corrected)
    found = {name: np.abs(form - ours(Q, name, robot)).max() for name, form in forms.items()}
    return {name: error for name, error in found.items() if error > 1e-12}


def test_28_our_vectors_are_the_moments_of_the_links() -> None:
    """(9) with our d_ik and d_ikj against the change of the angular momentum by Pinocchio."""
    model = model_of(ROBOT)
    data = model.createData()
    pin.forwardKinematics(model, data, Q, QD, QDD)
    known = erfd.terms(ROBOT, Q, QD)
    moments = np.einsum("ikx,k->ix", known["d_ik"], QDD)
    moments += np.einsum("ikjx,k,j->ix", known["d_ikj"], QD, QD)
    for i, inertia in enumerate(Arm.at(ROBOT, Q).inertia):
        turn = data.oMi[i + 1].rotation
        w, wd = turn @ data.v[i + 1].angular, turn @ data.a[i + 1].angular
        expected = inertia @ wd + np.cross(w, inertia @ w)
        assert moments[i] == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())


def test_28_which_moments_are_wrong() -> None:
    expected = {f"{i}{k}4" for i in (4, 5, 6) for k in (2, 3, 4)}
    expected |= {f"6{k}6" for k in (1, 2, 3, 4, 5)}
    assert errors(ROBOT).keys() == expected
    wrong = errors(LOLA)
    assert wrong.keys() == expected  # as it is, too: its tensors are diagonal only in link frames
    sizes = [wrong[name] for name in ("424", "444", "616", "646")]
    assert sizes == pytest.approx([0.69, 0.079, 0.240, 0.142], abs=0.001)


def test_28_corrected_moments() -> None:
    assert not errors(ROBOT, corrected=True)
    assert not errors(LOLA, corrected=True)
    axes = Arm.at(ROBOT, Q).axis
    for i in (4, 5, 6):  # the general form, which the corrected signs spell out
        inertia = Arm.at(ROBOT, Q).inertia[i - 1]
        pair = np.cross(axes[1], inertia @ axes[3]) + np.cross(axes[3], inertia @ axes[1])
        pair += inertia @ np.cross(axes[1], axes[3])
        assert printed(Q, ROBOT, corrected=True)[f"{i}24"] == pytest.approx(pair, abs=1e-13)
