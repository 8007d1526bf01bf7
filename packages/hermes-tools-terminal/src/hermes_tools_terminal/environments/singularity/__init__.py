"""Containers of Apptainer and Singularity."""
