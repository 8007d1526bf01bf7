"""What a model can call, one file each."""
