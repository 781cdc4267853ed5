"""Reports that people read: one HTML page or Markdown for what a command worked out."""
