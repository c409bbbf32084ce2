"""Results in forms that people and programs read. Knows results, not how they were judged."""
