"""What test modules share: arms, witnesses, programs, plain twins of algorithms, helpers."""
