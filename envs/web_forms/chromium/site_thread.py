"""The site as this process's browser opens it: on loopback, in a thread of its own."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path

from .errors import BrowserError


def start_site() -> str:
    """Serve the site for as long as this process lives; where it answers.

    Raises:
        BrowserError: if Flask is missing; the message says how to get it.
        OSError: if no port is to be had.
    """
    try:
        from ..site.app import listening_server
    except ImportError as error:
        raise BrowserError(f"the pages that Chromium opens need Flask: pip install 'formgym[web]' ({error})") from None
    # Nothing is submitted to it: the folder is never made.
    results = Path(tempfile.gettempdir()) / f"formgym-site-{os.getpid()}"
    server, url = listening_server("127.0.0.1", 0, results)
    threading.Thread(target=server.serve_forever, name="formgym-site", daemon=True).start()
    return url
