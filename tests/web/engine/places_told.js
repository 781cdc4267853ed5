// What the engine finds at places of auctions, as texts that support_places.py makes of the
// reference's: `load(name)` imports a module of the engine.
async (load, { systems, pair, deals, explained, keep }) => {
  const [
    { systemOfRows }, { Rules, Expander }, { choose }, { Auction }, { explainPlaces }, { descriptionOf, agreementsOf },
  ] = await Promise.all(["language/rows", "expansion", "choice", "calls", "explanation", "describing"].map(load));
  const kept = (globalThis.rulesByName ??= new Map());
  for (const [name, rows] of Object.entries(systems)) kept.set(name, new Rules(systemOfRows(rows)));
  const expander = new Expander(...pair.map((name) => kept.get(name)), { keep: keep ?? Infinity });

  const hex = (cells) => Array.from(new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength),
    (byte) => byte.toString(16).padStart(2, "0")).join("");
  const placed = ({ file, line, column }) => [file, line, column];
  const sorted = (pairs) => [...pairs].sort(([one], [other]) => (one < other ? -1 : 1));
  const bound = (bindings) => sorted(Object.entries(bindings));
  const said = ({ kind, text, suit, where }) => [kind, text, suit, placed(where)];
  const toldPlace = (calls) => {
    const { entries, forced, cells } = expander.place(calls);
    const state = expander.state(calls);
    const last = state.meanings.at(-1);
    return JSON.stringify({
      entries: entries.map((one) => [
        one.call, one.rank, one.name, placed(one.where), one.criteria.map(String), one.agreements.map(said),
        one.specificity, one.line.number, bound(one.bindings), descriptionOf(one), agreementsOf(one),
      ]),
      forced,
      cells: hex(cells),
      suits: state.suits,
      agreed: state.agreed,
      gameForced: state.gameForced,
      deeds: state.deeds.map((words) => [...words].sort()),
      knowledge: state.knowledge.map((one) => [hex(one.cells), sorted(one.terms)]),
      meaning: last ? {
        call: last.call,
        known: last.known,
        uses: last.uses.map(([line, bindings]) => [line.number, bound(bindings)]),
        agreements: last.agreements.map(said),
        alternatives: last.alternatives.map((one) => [
          one.name, one.kind, placed(one.where), hex(one.cells), String(one.expression),
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
    for (const { hands, contexts, forced } of deals) {
      let auction = new Auction();
      const made = [];
      while (!auction.isComplete) {
        const { calls } = auction;
        look(calls);
        const place = expander.place(calls);
        const seat = calls.length % 4;
        const choice = choose(place, hands[seat], contexts[seat]);
        made.push([choice.call, choice.entry === null ? -1 : place.entries.indexOf(choice.entry), choice.forced]);
        auction = auction.add(forced[calls.length] ?? choice.call);
      }
      told.choices.push(made);
      if (explained) told.explanations.push(explainPlaces(expander, auction.calls));
    }
  } catch (error) {
    if (error.name !== "InvalidSystem") throw error;
    told.error = error.message;
  }
  for (const [key, text] of texts) told.places[key] = await digest(text);
  globalThis.toldPlaces = texts;
  return told;
}
