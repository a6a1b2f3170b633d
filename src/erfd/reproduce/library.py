"""All items of the documents, by name."""

from __future__ import annotations

from ..errors import InputError
from . import algorithm_1, cmu_report, lola15_data, method_counts, recursion_equations, sdt_trainer
from . import lola15_demonstration as demonstration
from . import transformation_matrices as matrices
from .item import DocumentItem

ITEMS = (
    DocumentItem(
        "001-eq-1-36",
        "000 and 001 (1)-(36)",
        "the recursion of mRNEA, term by term",
        recursion_equations.equations_1_to_36,
    ),
    DocumentItem(
        "001-eq-37-76",
        "001 (37)-(76)",
        "the terms of Lola 15 written out",
        recursion_equations.equations_37_to_76,
    ),
    DocumentItem(
        "001-eq-77-89",
        "001 (77)-(89) = (E.1)-(E13) = 000 (37)-(41)",
        "the terms of the trainer written out",
        sdt_trainer.equations,
    ),
    DocumentItem(
        "001-eq-32", "000 and 001 (32)", "forces and moments in the joints", demonstration.reactions
    ),
    DocumentItem(
        "001-algorithm-1",
        "001 Algorithm 1, 000 section II",
        "every step on the demonstration",
        algorithm_1.steps,
    ),
    DocumentItem(
        "001-table-1",
        "001 Table 1 = Serbian Table 1",
        "mRNEA by number of links",
        method_counts.table_1,
    ),
    DocumentItem(
        "001-table-2", "001 Table 2 = Serbian Table 2", "seven methods", method_counts.table_2
    ),
    DocumentItem(
        "001-table-a1",
        "001 Table A1 = Serbian Table A.1",
        "D-H parameters of Lola 15",
        lola15_data.table_a1,
    ),
    DocumentItem(
        "001-table-c1",
        "001 Table C1 = Serbian Table V.1",
        "operations term by term",
        method_counts.table_c1,
    ),
    DocumentItem(
        "001-data",
        "001 section 8, Appendices B, D, E (Serbian B, G, D)",
        "masses, inertias, drives of Lola 15",
        lola15_data.data,
    ),
    DocumentItem(
        "001-coupling",
        "001 (D.1), (D.2), Figs. A1(b), D1 = Serbian Figs. 3(b), G.1",
        "rotors of coupled axes",
        lola15_data.coupling,
    ),
    DocumentItem(
        "001-fig-1",
        "001 Fig. 1 = Serbian Fig. 1 = 000 Fig. 1",
        "velocity from cycle to cycle",
        algorithm_1.velocity_change,
    ),
    DocumentItem(
        "001-fig-2",
        "001 Serbian Fig. 2 (not in English)",
        "flow chart of Algorithm 1",
        algorithm_1.flow_chart,
    ),
    DocumentItem(
        "001-fig-a1",
        "001 Fig. A1(a) = Serbian Fig. 3(a)",
        "frames and mass centres of Lola 15",
        lola15_data.frames,
    ),
    DocumentItem(
        "001-fig-a2",
        "001 Fig. A2 = Serbian Fig. E1 = 000 Fig. 2",
        "the trainer and its frames",
        sdt_trainer.frames,
    ),
    DocumentItem(
        "001-fig-a3",
        "001 Fig. A3 = Serbian Fig. E2 = 000 Fig. 3",
        "the trainer: torques by RNEA and mRNEA, accelerations recovered",
        sdt_trainer.torques_and_accelerations,
    ),
    DocumentItem(
        "001-fig-a4",
        "001 Fig. A4 = Serbian Fig. 4",
        "path and speed of the end effector",
        demonstration.path,
    ),
    DocumentItem(
        "001-fig-a5",
        "001 Fig. A5 = Serbian Fig. 5",
        "joint torques by RNEA and mRNEA",
        demonstration.joint_torques,
    ),
    DocumentItem(
        "001-fig-a6",
        "001 Fig. A6 = Serbian Fig. 6",
        "motor torques and accelerations with and without Algorithm 1",
        demonstration.torques_and_accelerations,
    ),
    DocumentItem(
        "001-fig-a7",
        "001 Fig. A7 = Serbian Fig. 7",
        "velocities and positions with and without Algorithm 1",
        demonstration.velocities_and_positions,
    ),
    DocumentItem(
        "001-order-n", "001 sections 1.4 and 6", "the algorithm is of order n", method_counts.order
    ),
    DocumentItem(
        "001-most-efficient",
        "001 summary and section 6",
        "computationally the most efficient",
        method_counts.most_efficient,
    ),
    DocumentItem(
        "001-one-inverse-dynamics",
        "001 section 1.4",
        "inverse dynamics once instead of n + 2",
        method_counts.one_inverse_dynamics,
    ),
    DocumentItem(
        "001-path-differs", "001 section 8", "the path differs slightly", demonstration.path_differs
    ),
    DocumentItem(
        "003-eq-1-15",
        "003 (1)-(15)",
        "Inverse Arm, motors, the general equation",
        cmu_report.inverse_arm_equations,
    ),
    DocumentItem(
        "003-eq-16-26",
        "003 (16)-(26)",
        "H by composite bodies, ForArm",
        cmu_report.forward_arm_equations,
    ),
    DocumentItem(
        "003-methods",
        "003 'Calculating the H matrix'",
        "method 1 against method 3",
        cmu_report.methods,
    ),
    DocumentItem(
        "003-time-step",
        "003 'Runge-Kutta Integration'",
        "order of the integrator, step of 1 ms",
        cmu_report.time_step,
    ),
    DocumentItem("003-fig-1", "003 Figure 1", "frames of the CMU DD arm", cmu_report.frames),
    DocumentItem("003-fig-2", "003 Figure 2", "a motor as a control system", cmu_report.motor),
    DocumentItem(
        "004-table-3", "004 Table 3", "operations of three formulations", matrices.table_3
    ),
    DocumentItem(
        "004-formulations",
        "004 sections 2-4, Tables 1 and 2",
        "the formulations against each other",
        matrices.formulations,
    ),
)
"""Every table, figure, numbered algorithm and checkable claim, in the order of the documents."""


def items_named(word: str) -> list[DocumentItem]:
    """The item of that name, or all items of a document (`001`, `003`, `004`).

    Raises:
        InputError: There is no such item.
    """
    word = word.lower()
    found = [item for item in ITEMS if word in (item.name, item.document)]
    if not found:
        close = [item.name for item in ITEMS if word in item.name]
        listed = ", ".join(close or ("001", "003", "004"))
        raise InputError(
            f"ITEM: expected a name that `erfd reproduce` lists, as {listed}, found {word!r}"
        )
    return found
