"""LIN and links to BBO's handviewer, read and written, and links of the page."""
