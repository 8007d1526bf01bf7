"""What is shown of a file: numbered lines, and answers that help where there are none."""
