"""What people write in fields: templates and expressions."""
