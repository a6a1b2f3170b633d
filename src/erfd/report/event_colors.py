"""The colours of events, the same in figures and in the studio."""

EVENT_COLORS = {
    "torque limit": "#f76707", "stall": "#c92a2a", "voltage limit": "#e8590c",
    "joint speed limit": "#1098ad", "motor speed limit": "#7048e8", "position limit": "#2b8a3e",
    "joint stop": "#862e9c", "joint acceleration limit": "#e67700", "run-away": "#d6336c",
}  # fmt: skip
"""The colour of every kind of `run.events.KINDS`."""
