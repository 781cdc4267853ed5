// Seats of a board: who deals and who is vulnerable by its number (Law 2).

export const VULNERABILITIES = ["None", "NS", "EW", "Both"];

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
