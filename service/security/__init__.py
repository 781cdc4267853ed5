"""Who may ask the service what."""
