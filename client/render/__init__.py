"""What people see: tables, coloured suits, and sentences."""
