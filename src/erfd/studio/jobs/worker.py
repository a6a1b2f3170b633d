"""Worker process that verifies, repairs and times programs: requests and answers are JSON lines.

{"kind": "progress", "part": 0.3, "stage": "stage_plan"}
{"kind": "done", "result": {...}}          or          {"kind": "failed", "result": {"error"}}
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any


def main() -> None:
    """Work until the studio closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the studio, which ends this
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints must not get among the answers

    def tell(kind: str, **entries: Any) -> None:
        answers.write(json.dumps({"kind": kind, **entries}) + "\n")
        answers.flush()

    from ...errors import ErfdError
    from . import fastest, repairing, verification

    kinds = {"verify": verification.work, "repair": repairing.work, "fastest": fastest.work}
    verification.warm_up()
    for line in sys.stdin:
        try:
            request = json.loads(line)
            result = kinds[request["kind"]](
                request, lambda part, stage: tell("progress", part=part, stage=stage)
            )
        except ErfdError as error:
            mistakes = getattr(error, "mistakes", ())
            places = [{"line": m.line, "column": m.column} for m in mistakes][:200]
            tell("failed", result={"error": str(error), "places": places})
        except MemoryError:
            tell("failed", result={"error": "not enough memory for a run of this length"})
        except Exception as error:
            # a fault of ours: the page says so, and goes on
            tell("failed", result={"error": f"{type(error).__name__}: {error}"})
        else:
            tell("done", result=result)


if __name__ == "__main__":
    main()
