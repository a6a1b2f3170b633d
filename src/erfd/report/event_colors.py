"""The colours of events: one colour, one meaning, the same in figures and in the studio."""

MEANINGS = {
    "torque": "#e8590c", "speed": "#1098ad", "position": "#862e9c", "acceleration": "#b8860b",
    "collision": "#c92a2a",
}  # fmt: skip
"""What the colour of a moment means: which limit was reached then, or that something touched."""
MEANING_OF = {
    "torque limit": "torque", "stall": "torque", "voltage limit": "torque", "run-away": "torque",
    "joint speed limit": "speed", "motor speed limit": "speed", "position limit": "position",
    "joint stop": "position", "joint acceleration limit": "acceleration", "collision": "collision",
}  # fmt: skip
"""The meaning of every kind of `run.events.KINDS`, and of a collision."""
EVENT_COLORS = {kind: MEANINGS[meaning] for kind, meaning in MEANING_OF.items()}
"""The colour of every kind."""
