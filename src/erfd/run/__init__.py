"""The record of a motion: `Run`, its columns, units and events, and its files."""
