"""The pages of proposals: what waits for a second auditor, with the preview, and its result."""
