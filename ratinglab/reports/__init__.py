"""The report: one history as a linked set of pages, with every table beside them as CSV."""

from ratinglab.reports.build import build_report

__all__ = ["build_report"]
