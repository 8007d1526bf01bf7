"""What may run, as rules that users write, prove with examples, and try out before they count."""
