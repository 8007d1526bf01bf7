"""How tools arrive: discovery, loading in isolation, the load report."""
