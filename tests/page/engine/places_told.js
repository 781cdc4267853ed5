// What the engine finds at places of auctions, as texts that support_places.py makes of the
// reference's: `load(name)` imports a module of the engine.
async (load, { systems, pair, deals, explained }) => {
  const [
    { systemOfRows }, { Rules }, { Bidder }, { Auction }, { explainPlaces }, { descriptionOf, agreementsOf },
  ] = await Promise.all([
    "language/rows", "places/places", "bidding/bidder", "deals/calls", "words/explanation", "words/describing",
  ].map(load));
  const kept = (globalThis.rulesByName ??= new Map());
  for (const [name, rows] of Object.entries(systems)) kept.set(name, new Rules(systemOfRows(rows)));
  const bidder = new Bidder(...pair.map((name) => kept.get(name)));

  const hex = (cells) => Array.from(new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength),
    (byte) => byte.toString(16).padStart(2, "0")).join("");
  // whole words have more bits than there are cells
  const inCells = (cells) => hex(cells).slice(0, 560 * 38 / 4);
  const placed = ({ file, line, column }) => [file, line, column];
  const sorted = (pairs) => [...pairs].sort(([one], [other]) => (one < other ? -1 : 1));
  const bound = (bindings) => sorted(Object.entries(bindings));
  const said = ({ kind, text, suit, where }) => [kind, text, suit, placed(where)];
  const toldPlace = (calls) => {
    const { entries, forced, cells } = bidder.place(calls);
    const state = bidder.state(calls);
    const last = state.meanings.at(-1);
    return JSON.stringify({
      entries: entries.map((one) => [
        one.call, one.rank, one.name, placed(one.where), one.criteria.map(String), one.agreements.map(said),
        one.specificity, one.line.number, bound(one.bindings), descriptionOf(one), agreementsOf(one),
      ]),
      forced,
      cells: inCells(cells[calls.length % 4]),
      agreed: state.agreed,
      gameForced: state.gameForced,
      knowledge: state.knowledge.map((one) => [inCells(one.cells), sorted(one.terms)]),
      meaning: last ? {
        call: last.call,
        known: last.known,
        uses: last.uses.map(([line, bindings]) => [line.number, bound(bindings)]),
        agreements: last.agreements.map(said),
        alternatives: last.alternatives.map((one) => [
          one.name, one.kind, placed(one.where), inCells(one.cells), String(one.expression),
        ]),
      } : null,
    });
  };
  const digest = async (text) => {
    const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return hex(new Uint8Array(bytes));
  };

  const told = { choices: [], places: {}, explanations: [] };
  const texts = new Map();
  const look = (calls) => {
    const key = calls.join(" ");
    if (!texts.has(key)) texts.set(key, toldPlace(calls));
  };
  try {
    // a deal is bid to the end; `forced` are calls that the player makes whatever he holds
    for (const { hands, contexts, forced, circumstances } of deals) {
      let auction = new Auction();
      const made = [];
      while (!auction.isComplete) {
        const { calls } = auction;
        look(calls);
        const place = bidder.place(calls);
        const seat = calls.length % 4;
        const [entry] = bidder.chosen(calls, [hands[seat]], contexts[seat]);
        const number = entry === null ? -1 : place.entries.findIndex((one) => one.number === entry.number);
        made.push([entry?.call ?? 0, number, place.forced]);
        auction = auction.add(forced[calls.length] ?? made.at(-1)[0]);
      }
      told.choices.push(made);
      if (explained) {
        for (const one of [[], circumstances]) told.explanations.push(explainPlaces(bidder, auction.calls, ...one));
      }
    }
  } catch (error) {
    if (error.name !== "InvalidSystem") throw error;
    told.error = error.message;
  }
  for (const [key, text] of texts) told.places[key] = await digest(text);
  globalThis.toldPlaces = texts;
  return told;
}
