"""The commands of the CMU shell, one group a file; each has a table COMMANDS."""
