"""What people open in a browser, a module for each group of pages; each has one blueprint."""
