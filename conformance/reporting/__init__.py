"""Results into forms that people and programs read. Knows results, and nothing of how they came."""
