"""Runs Python blocks of one page, in one namespace; a script that is told of each as a line of JSON."""

import json
import os
import signal
import sys
import traceback
import types


def main():
    requests, replies = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    for line in requests:
        block = json.loads(line)
        output = os.open(block["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ.update(block["variables"])
        # What takes too long is killed, with all that it has printed.
        signal.alarm(block["seconds"])
        replies.write(f"{json.dumps(_run(block, vars(module)))}\n")
        replies.flush()


def _run(block, namespace):
    """Whether a block ends well; its lines are counted as on its page."""
    try:
        code = compile("\n" * (block["line"] - 1) + block["code"], block["path"], "exec")
        exec(code, namespace)
    except BaseException:  # noqa: BLE001 (a block may end as it likes; the next ones run)
        traceback.print_exc()
        return False
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return True


if __name__ == "__main__":
    main()
