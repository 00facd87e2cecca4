"""What breaks camera recognisers in the field, one case after another, shown to the real eyes."""
