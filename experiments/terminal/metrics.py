"""The metrics of all suites by name, the most important first: what tables and reports call them."""

from ...envs.documents.scoring import metrics as document_metrics
from ...envs.paper_forms import metrics as paper_metrics
from ...envs.web_forms import metrics as web_metrics

METRICS = document_metrics.METRICS | web_metrics.METRICS | paper_metrics.METRICS
