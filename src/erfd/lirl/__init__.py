"""L-IRL programs: parse, check, format, and run step by step.

Lark is imported only if the grammar has changed.
"""

from .checker.check import check
from .format import format_program
from .interpreter.interpret import interpret
from .messages import Mistake, ProgramError
from .parser.parse import parse
from .signal_schedule import SignalChange, SignalSchedule, read_signal_schedule, signals_beside

__all__ = [
    "Mistake",
    "ProgramError",
    "SignalChange",
    "SignalSchedule",
    "check",
    "format_program",
    "interpret",
    "parse",
    "read_signal_schedule",
    "signals_beside",
]
