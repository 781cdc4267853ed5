"""What a device can do and what work costs it: ceilings, floors, device times, predictions."""
