"""Code that runs in other processes with any Python from 3.8 on: it is sent as text, never imported."""
