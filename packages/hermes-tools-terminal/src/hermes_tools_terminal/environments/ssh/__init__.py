"""Remote machines, reached with OpenSSH."""
