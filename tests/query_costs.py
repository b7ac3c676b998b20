"""Run as a script: the feedback of queries and what each costs, in a process of its own, forked from a ready one.

The arguments are a SQLite file and a JSON list of queries; the output is a JSON list of feedback, seconds of the
processor, and bytes of memory above what the process had before.
"""

import json
import os
import resource
import sys
from pathlib import Path

from formgym.envs.core.tools import ToolError
from formgym.envs.paper_forms.accounting.sql_sandbox import Database


def cost(database, sql):
    before = resource.getrusage(resource.RUSAGE_SELF)
    try:
        feedback = database.query(sql)
    except ToolError as error:
        feedback = str(error)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return feedback, seconds, (after.ru_maxrss - before.ru_maxrss) * 1024


def forked(database, sql):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(writing, "w") as pipe:
            json.dump(cost(database, sql), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = json.load(pipe)
    os.waitpid(child, 0)
    return answer


if __name__ == "__main__":
    image, queries = Path(sys.argv[1]).read_bytes(), json.loads(Path(sys.argv[2]).read_text())
    ready = Database(image)
    json.dump([forked(ready, sql) for sql in queries], sys.stdout)
