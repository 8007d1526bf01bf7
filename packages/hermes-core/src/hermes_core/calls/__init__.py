"""The life of one call: repair, hooks, execution, results."""
