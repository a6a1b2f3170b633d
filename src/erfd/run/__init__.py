"""Runs, the records of motions: `Run`, its columns, units and events, and its files."""
