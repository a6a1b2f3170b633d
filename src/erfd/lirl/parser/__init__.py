"""From L-IRL text to its syntax tree: grammar, scanner, LALR(1) parser, recovery from mistakes."""
