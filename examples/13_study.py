"""How sure is a verdict? Payload and friction vary; how likely is the program feasible?"""

import erfd

PROGRAM = """program swing;
seq
  move ptp joint(mainjoint(60, -30, 40, 0, -30, 90));
  move ptp joint(mainjoint(-60, 10, 0, 0, 20, -90));
endseq endprogram"""


def main() -> None:
    study = erfd.study(
        PROGRAM,
        "lola15",
        vary={"payload": "normal(60, 20, 0, 200)", "friction": "uniform(0.7, 1.3)"},
        samples=2000,
        name="swing",
    )
    print(study.verdict)
    for row in study.limits:
        print(f"fails first in {100 * row.part:.1f} %: {row.limit}")
    for row in study.sensitivity:
        print(f"the margin depends on {row}")
    print(study.largest("payload", 0.99))
    worst = study.variant(study.worst_variant)
    print(f"worst: {worst['payload']:.1f} kg, friction {worst['friction']:.2f}: {study.worst}")


if __name__ == "__main__":
    main()
