"""Domain objects from records, and records from domain objects. The only queries; nothing here commits."""
