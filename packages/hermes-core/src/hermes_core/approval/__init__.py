"""Who may: findings, hook answers, the gate."""
