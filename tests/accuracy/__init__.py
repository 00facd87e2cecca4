"""What the product as a whole reads and rules: bundled samples, shared photos, turned and shrunk pictures."""
