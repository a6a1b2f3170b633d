"""What did the programmer write? L-IRL programs: parse, check, format, and run step by step.

The functions are bound after the modules that have their names, so `erfd.lirl.parse` is the
function. Lark is imported only if the grammar has changed.
"""

from .checker.check import check
from .format import format_program
from .interpreter.interpret import interpret
from .messages import Mistake, ProgramError
from .parser.parse import parse
from .signal_schedule import Change, Schedule, read_schedule, schedule_beside

__all__ = [
    "Change",
    "Mistake",
    "ProgramError",
    "Schedule",
    "check",
    "format_program",
    "interpret",
    "parse",
    "read_schedule",
    "schedule_beside",
]
