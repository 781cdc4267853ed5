// Seats of a board: who deals and who is vulnerable by its number (Law 2), and how people write sides.
// bridge/seats.py is the definition.

import { sidesOf, VULNERABILITIES } from "../engine/deals/vulnerabilities.js";

export { VULNERABILITIES };

/** Vulnerability of a word for it without blanks around it, or null. */
export function readVulnerability(text) {
  return VULNERABILITIES[sidesOf(text)] ?? null;
}

export function isVulnerable(vulnerability, seat) {
  return vulnerability === "Both" || vulnerability === (seat % 2 ? "EW" : "NS");
}

export function boardDealer(number) {
  return (number - 1) % 4;
}

export function boardVulnerability(number) {
  const place = (number - 1) % 16;
  return VULNERABILITIES[(place + Math.floor(place / 4)) % 4];
}
