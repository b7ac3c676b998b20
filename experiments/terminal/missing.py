"""Packages that are not installed, and the extra of formgym that has them."""

from __future__ import annotations

_EXTRAS = {
    "export": ("minari", "pyarrow"),
    "fieldfinder": ("cv2", "onnxruntime", "rapidocr"),
    "train": ("matplotlib", "onnx", "stable_baselines3", "torch", "transformers"),
    "vlm": ("datasets", "trl"),
    "web": ("flask", "markdown_it", "playwright"),
    "llm": ("openai",),
    "inspect": ("inspect_ai",),
    "bridges": ("openenv",),
    "office": ("pptx", "reportlab"),
    "postgres": ("psycopg",),
}


def how_to_install(error: ModuleNotFoundError) -> str | None:
    """What to install, in a sentence; ``None`` if no extra has the module."""
    module = (error.name or "").partition(".")[0]
    extra = next((extra for extra, modules in _EXTRAS.items() if module in modules), None)
    return None if extra is None else f"this needs {module}: pip install 'formgym[{extra}]'"
