"""The tests; folders mirror the house: `referee`, `vision`, `web` and `house` (the repository itself)."""
