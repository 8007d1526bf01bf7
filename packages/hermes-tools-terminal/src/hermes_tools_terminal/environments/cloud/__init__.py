"""What places behind a vendor's SDK have in common, and what each of them needs."""
