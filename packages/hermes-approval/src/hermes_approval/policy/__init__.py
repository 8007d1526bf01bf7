"""Policy rules: reads, judges, explains and backtests them."""
