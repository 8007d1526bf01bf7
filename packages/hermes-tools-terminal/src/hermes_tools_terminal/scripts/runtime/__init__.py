"""What runs in other processes, here and elsewhere, with any Python from 3.8 on: it is sent as text, never imported."""
