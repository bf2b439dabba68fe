"""The truth: SQLite. Everything that writes is called by `write.apply`, inside its transaction, and nowhere else."""
