"""Instances of Apptainer and Singularity: how they are started, and from what."""
