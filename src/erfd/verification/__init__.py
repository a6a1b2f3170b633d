"""Verification of a program on a robot: the verdict, its reasons, advice, the report."""

from .verify import MoveReport, Verification, verify

__all__ = ["MoveReport", "Verification", "verify"]
