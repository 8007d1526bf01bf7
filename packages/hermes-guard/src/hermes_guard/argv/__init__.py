"""Parses argument vectors the way programs do."""

from hermes_guard.argv.options import Options, Spec, parse, parse_words

__all__ = ["Options", "Spec", "parse", "parse_words"]
