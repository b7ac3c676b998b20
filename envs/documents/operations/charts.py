"""The data of charts, as operations take them."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from ..scene.charts import ACCENTS, Chart

KEYS = ("kind", "title", "categories", "series")
"""What is set of a chart."""
USAGE = (
    "a chart's data as JSON: kind (column, bar, line or pie), title, categories and series, such as {'kind': 'bar', "
    "'categories': ['May', 'June'], 'series': [{'name': 'North', 'values': [3, 5]}]}"
)
"""What the data of a chart are, in words."""


def chart_data(chart: Chart) -> dict[str, Any]:
    """The data of a chart as JSON."""
    data: dict[str, Any] = chart.model_dump(mode="json", include=set(KEYS), exclude_defaults=True)
    return data


def with_chart_data(chart: Chart, data: Any) -> Chart:
    """A chart with other data: a dict or JSON of some of ``KEYS``, or a new title.

    Raises:
        ValueError: if they are no such data; the message says what they are.
    """
    if isinstance(data, str) and not data.lstrip().startswith("{"):
        data = {"title": data}
    try:
        data = json.loads(data) if isinstance(data, str) else data
        if not isinstance(data, dict) or not set(data) <= set(KEYS):
            raise ValueError(f"its keys are {', '.join(KEYS)}")
        edited = Chart.model_validate(chart.model_dump() | data)
        more = ACCENTS[len(edited.colours) : len(edited.series)]
        return edited.model_copy(update={"colours": (*edited.colours, *more)})
    except ValidationError as error:
        problem = str(error.errors()[0]["msg"])
    except (ValueError, RecursionError) as error:
        problem = str(error)
    raise ValueError(f"{USAGE}; {problem}")
