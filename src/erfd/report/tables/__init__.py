"""Tables for the terminal (Rich), and the same content as plain data for `--json`."""
