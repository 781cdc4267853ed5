// Shapes of hands, and the numbers of cells (shape, points): systems/places/knowledge.py.

export const POINTS = 38;
export const SUIT_LETTERS = "CDHS";

/** Lengths (clubs, diamonds, hearts, spades) of the 560 shapes. */
export const LENGTHS = [];
/** Number of a shape by clubs + 14 * diamonds + 196 * hearts. */
const SHAPE_AT = new Int16Array(14 ** 3);
for (let clubs = 0; clubs <= 13; clubs += 1) {
  for (let diamonds = 0; clubs + diamonds <= 13; diamonds += 1) {
    for (let hearts = 0; clubs + diamonds + hearts <= 13; hearts += 1) {
      SHAPE_AT[clubs + 14 * diamonds + 196 * hearts] = LENGTHS.length;
      LENGTHS.push([clubs, diamonds, hearts, 13 - clubs - diamonds - hearts]);
    }
  }
}

/** Number of cards of each holding. */
export const CARDS = new Uint8Array(1 << 13);
for (let holding = 1; holding < CARDS.length; holding += 1) CARDS[holding] = CARDS[holding >> 1] + (holding & 1);

/** Number of the shape of a hand of 13 cards. */
export function shapeOf([clubs, diamonds, hearts]) {
  return SHAPE_AT[CARDS[clubs] + 14 * CARDS[diamonds] + 196 * CARDS[hearts]];
}

/** High-card points of a hand: the four highest cards of a suit count. */
export function pointsOf(hand) {
  let points = 0;
  for (const holding of hand) {
    for (let rank = 9; rank < 13; rank += 1) if (holding >> rank & 1) points += rank - 8;
  }
  return points;
}
