"""L-IRL programs: parse, check, format, and run step by step.

Lark is imported only if the grammar has changed.
"""

from ..ground.renamed import renamed as _renamed
from .checker.check import check, parse
from .format import format_program
from .interpreter.interpret import interpret
from .messages import Mistake, ProgramError
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

__getattr__ = _renamed(
    __name__,
    {
        "Change": "SignalChange",
        "Schedule": "SignalSchedule",
        "read_schedule": "read_signal_schedule",
        "schedule_beside": "signals_beside",
    },
)
