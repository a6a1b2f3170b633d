"""`erfd opcount`: operations of every formulation, beside the published ones."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import InputError
from .common import add_json, add_robot, load_robot, print_result
from .parser import add_command


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "opcount", "count the operations of every formulation", run_opcount,
        "erfd opcount lola15 --quantity inverse_dynamics",
    )  # fmt: skip
    add_robot(command)
    quantities = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias", "cycle")
    command.add_argument(
        "--quantity", default="forward_dynamics", choices=quantities, help="what is counted"
    )
    command.add_argument("--method", metavar="NAME", help="one method only")
    command.add_argument("--wrench", action="store_true", help="with an end-effector wrench")
    command.add_argument("--terms", action="store_true", help="mRNEA term by term (001 Table C1)")
    add_json(command)


def run_opcount(options: argparse.Namespace) -> None:
    """Count the operations of every formulation."""
    from rich.console import Console

    from ..report.tables.operation_counts import count_data, print_counts, print_terms, term_data

    if options.terms:
        for name, given in (("--method", options.method not in (None, "mrnea")),
                            ("--quantity", options.quantity != "forward_dynamics"),
                            ("--wrench", options.wrench)):  # fmt: skip
            if given:
                raise InputError(f"--terms: expected mRNEA forward dynamics alone, found {name}")
        print_result(options, dict, print_terms, term_data(load_robot(options)))
        return
    progress = Console(stderr=True)
    data = count_data(
        load_robot(options), options.quantity, options.method, options.wrench, progress
    )
    print_result(options, dict, print_counts, data)
