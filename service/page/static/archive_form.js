// The question to an archive as a form, and as the text that the address keeps of it.

import { h } from "./dom.js";
import { callText, plural } from "./format.js";
import { SEAT_NAMES, SEATS } from "./calls.js";
import { SIDE_NAMES } from "./deal_diagram.js";
import { callsBefore, state } from "./state.js";

const CLASSES = "classes";
const LEVELS = [
  ["", "no"], ["next", "of the next calls"], ["contract", "of the contracts"],
  ["dealer", "of the dealers"], ["vulnerability", "of the vulnerabilities"], [CLASSES, "of conditions"],
];
const ASKED = [
  "archive", "auction", "by", "mode", "exact", "where", "dealer", "vulnerability", "player", "event",
  "source", "contract", "result", "seed", "level", "limit",
];
const LIMIT = 50;

/** Question of a text; what no question says is left out. */
export function readQuestion(text) {
  const told = [...new URLSearchParams(text)].filter(([name, value]) => ASKED.includes(name) && value.trim());
  return new URLSearchParams(told);
}

/** The same question about another auction. */
export function withAuction(question, calls) {
  const changed = new URLSearchParams(question);
  changed.delete("exact");
  changed.set("auction", calls.join(" "));
  return changed.toString();
}

/** Path of the service that answers a question, without parts of it or with others. */
export function pathOf(question, what, changes = {}) {
  const told = new URLSearchParams(question);
  told.delete("archive");
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) told.delete(name);
    else told.set(name, value);
  }
  return `/v1/archives/${encodeURIComponent(question.get("archive") ?? "")}/${what}?${told}`;
}

function labelled(text, control, ...more) {
  return h("div", { class: "stack" }, h("label", { for: control.id }, text), control, more);
}

function select(name, options) {
  return h("select", { id: `ask-${name}`, name }, options.map(([value, text]) => h("option", { value }, text)));
}

function input(name, properties = {}) {
  return h("input", {
    id: `ask-${name}`, name, type: "text", autocomplete: "off", spellcheck: "false", maxlength: "500", ...properties,
  });
}

function lines(name, placeholder, hint) {
  return h("textarea", {
    id: `ask-${name}`, name, rows: "2", spellcheck: "false", autocapitalize: "off", placeholder, "aria-describedby": hint,
  });
}

/** Form for `archives`, as the service lists them; `ask(text)` hears the question. */
export function buildForm(archives, ask) {
  const auction = input("auction", { placeholder: "1NT P 2C P 2M …", "aria-describedby": "auction-hint" });
  const offer = h("button", { type: "button", onclick: () => { auction.value = callsBefore().join(" "); } });
  const by = select("by", []);
  const mode = select("mode", [["", "bid"], ["all", "allowed"]]);
  const byChance = h("input", { type: "checkbox", id: "ask-chance" });
  const seed = input("seed", { type: "number", min: "0", "aria-label": "Seed" });
  const level = select("level", LEVELS);
  const classes = labelled("Conditions, each a class", lines("classes", "HCP_N >= 18\nHCP_N >= 15"));
  const limit = input("limit", { type: "number", min: "1" });
  const archive = select("archive", archives.map((one) => [one.name, `${one.name} (${plural(one.boards, "board")})`]));
  const exact = h("input", { type: "checkbox", id: "ask-exact", name: "exact", value: "true" });
  const where = lines("where", "HCP_N >= 15", "where-hint");
  const more = h(
    "details", null, h("summary", null, "Players, results, and how boards are chosen"),
    h("div", { class: "ask-fields" },
      labelled("Dealer", select("dealer", [["", "anybody"], ...SEATS.map((seat, index) => [seat, SEAT_NAMES[index]])])),
      labelled("Vulnerable", select("vulnerability", [["", "whoever"], ...Object.entries(SIDE_NAMES)])),
      labelled("Player", input("player")), labelled("Event", input("event")), labelled("File", input("source")),
      labelled("Contract played", input("contract", { placeholder: "4S, 3NX" })),
      labelled("Result", select("result", [["", "any"], ["made", "made"], ["down", "down"]])),
      labelled("Boards at most", limit),
      h("div", { class: "stack" }, h("label", { class: "check field", for: byChance.id }, byChance, "By chance, with seed"), seed),
      labelled("Equal shares", level), classes),
  );
  const form = h(
    "form", { class: "form ask", role: "search", onsubmit: submit, novalidate: true },
    h("div", { class: "ask-fields" }, labelled("Archive", archive), labelled("Auctions of", by), labelled("Auctions that are", mode)),
    h("div", { class: "ask-fields" },
      h("div", { class: "stack" }, h("label", { for: auction.id }, "Beginning of the auction"), auction,
        h("p", { class: "soft small", id: "auction-hint" }, "From the dealer on. Also a pattern as in a system's headers: 1M (2m) Double."),
        h("div", { class: "row" }, offer, h("label", { class: "check field", for: exact.id }, exact, "The auction ends there"))),
      labelled("Conditions on the hands", where,
        h("p", { class: "soft small", id: "where-hint" }, "One a line: a term, and whose hand it is of, as in SL_S_N >= 5."))),
    more, h("div", { class: "row" }, h("button", { type: "submit", class: "main" }, "Find boards")),
  );

  function fit() {
    const bidders = archives.find((one) => one.name === archive.value)?.bidders ?? {};
    const names = Object.keys(bidders);
    if (by.value && !names.includes(by.value)) names.push(by.value);
    const chosen = by.value;
    by.replaceChildren(...[["", "the players"], ...names.map((name) => [name, name])].map(([value, text]) => (
      h("option", { value }, text)
    )));
    by.value = chosen;
    mode.disabled = mode.value === "" && !bidders[chosen]?.modes.includes("all");
    seed.disabled = !byChance.checked;
    classes.hidden = level.value !== CLASSES;
  }

  function submit(event) {
    event.preventDefault();
    const question = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      const isList = name === "where" || name === CLASSES;
      if (name === CLASSES && level.value !== CLASSES) continue;
      if (name === "level" && value === CLASSES) continue;
      for (const one of isList ? value.split("\n") : [value]) {
        if (one.trim()) question.append(name === CLASSES ? "level" : name, one.trim());
      }
    }
    ask(question.toString());
  }

  /** Show a question. */
  function fill(question) {
    const set = (control, value) => {
      // a name that is none of the choices stays, so that the service says what is wrong with it
      if (control.tagName === "SELECT" && ![...control.options].some((one) => one.value === value)) {
        control.append(h("option", { value }, value));
      }
      control.value = value;
    };
    for (const control of form.elements) {
      if (!control.name || control === level || control.name === CLASSES) continue;
      if (control.type === "checkbox") control.checked = question.has(control.name);
      else if (control === where) control.value = question.getAll("where").join("\n");
      else set(control, question.get(control.name) ?? "");
    }
    const shares = question.getAll("level");
    const isNamed = LEVELS.some(([name]) => name === (shares[0] ?? ""));
    level.value = isNamed ? shares[0] ?? "" : CLASSES;
    classes.querySelector("textarea").value = isNamed ? "" : shares.join("\n");
    byChance.checked = question.has("seed");
    if (!seed.value) seed.value = "1";
    if (!limit.value) limit.value = String(LIMIT);
    if (["dealer", "vulnerability", "player", "event", "source", "contract", "result", "seed", "level"].some((one) => question.has(one))) more.open = true;
    fit();
    const calls = callsBefore(state());
    offer.hidden = !calls.length;
    offer.textContent = `That of the deal: ${calls.map(callText).join(" ")}`;
  }

  form.addEventListener("change", fit);
  form.addEventListener("keydown", (event) => {
    // as where hands are pasted: Enter alone begins a line there
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  return { form, fill };
}

/** What is asked as long as nobody has said more. */
export function firstQuestion(archives) {
  return new URLSearchParams({ archive: archives[0].name, limit: String(LIMIT) });
}
