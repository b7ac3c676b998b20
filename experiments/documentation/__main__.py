"""Write the Markdown and the configuration of the docs site: ``make docs``."""

import sys
from pathlib import Path

from .site_files import write_site_files

if __name__ == "__main__":
    write_site_files(Path(sys.argv[1]))
