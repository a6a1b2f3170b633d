"""A program that every robot of its size can do."""

EASY = "program easy; seq move ptp joint(mainjoint(20, 10)) speed_ptp=0.5; wait 0.1 sec; endseq"
