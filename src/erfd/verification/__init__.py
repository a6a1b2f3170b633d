"""Verification of a program on a robot: the verdict, its reasons, advice, the report."""

from .result import MoveReport, Verification
from .verify import verify

__all__ = ["MoveReport", "Verification", "verify"]
