"""Annotated C to checked syntax."""

from optigpu.frontend.program_loading import parse_file, parse_text, recheck

__all__ = ["parse_file", "parse_text", "recheck"]
