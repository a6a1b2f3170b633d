"""From moves to a joint trajectory: targets, profiles, lines, circles, blends."""
