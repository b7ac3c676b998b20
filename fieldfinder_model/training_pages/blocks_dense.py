"""Blocks of dense application forms, which fill the width of a page with small cells."""

from __future__ import annotations

from . import blocks_dense_grids, blocks_dense_lines, blocks_dense_notices, blocks_dense_tables
from .canvas import Block

BLOCKS: dict[Block, float] = {
    **blocks_dense_grids.BLOCKS,
    **blocks_dense_tables.BLOCKS,
    **blocks_dense_notices.BLOCKS,
    **blocks_dense_lines.BLOCKS,
}
"""All of them, and how often each is met."""
