"""Vetting: a bidding table held against auctions that were really bid."""

from bidcascade.table.vetting.frames import COLUMNS, vetting_frames
from bidcascade.table.vetting.rates import wilson_interval
from bidcascade.table.vetting.vetting import Vetting

__all__ = ["COLUMNS", "Vetting", "vetting_frames", "wilson_interval"]
