// The question to an archive as a form, and as the text that the address keeps of it.

import { h } from "../dom.js";
import { callText } from "../format.js";
import { SEAT_NAMES, SEATS } from "../bridge/calls.js";
import { SIDE_NAMES } from "../deal/deal_diagram.js";
import { callsBefore, state } from "../state.js";
import { phrase } from "../texts.js";

const CLASSES = "classes";
const LEVELS = ["", "next", "contract", "dealer", "vulnerability", CLASSES];
const REQUEST_FIELDS = [
  "archive", "auction", "by", "mode", "exact", "where", "dealer", "vulnerability", "player", "event",
  "source", "contract", "result", "seed", "level", "limit",
];
const LIMIT = 50;

/** Question of a text; what no question says is left out. */
export function readQuestion(text) {
  const fields = [...new URLSearchParams(text)].filter(([name, value]) => REQUEST_FIELDS.includes(name) && value.trim());
  return new URLSearchParams(fields);
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
  const query = new URLSearchParams(question);
  query.delete("archive");
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return `/v1/archives/${encodeURIComponent(question.get("archive") ?? "")}/${what}?${query}`;
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
  const auction = input("auction", { placeholder: phrase("ask.auction-example"), "aria-describedby": "auction-hint" });
  const offer = h("button", { type: "button", onclick: () => { auction.value = callsBefore().join(" "); } });
  const by = select("by", []);
  const mode = select("mode", [["", phrase("ask.bid")], ["all", phrase("ask.allowed")]]);
  const byChance = h("input", { type: "checkbox", id: "ask-chance" });
  const seed = input("seed", { type: "number", min: "0", "aria-label": phrase("ask.seed") });
  const level = select("level", LEVELS.map((one) => [one, phrase(`ask.level-${one}`)]));
  const classes = labelled(phrase("ask.classes"), lines("classes", phrase("ask.classes-example")));
  const limit = input("limit", { type: "number", min: "1" });
  const archive = select("archive", archives.map((one) => [
    one.name, phrase("ask.archive-option", { archive: one.name, boards: phrase("number.boards", { number: one.boards }) }),
  ]));
  const exact = h("input", { type: "checkbox", id: "ask-exact", name: "exact", value: "true" });
  const where = lines("where", phrase("ask.where-example"), "where-hint");
  const more = h(
    "details", null, h("summary", null, phrase("ask.more")),
    h("div", { class: "ask-fields" },
      labelled(phrase("ask.dealer"), select("dealer", [["", phrase("ask.anybody")], ...SEATS.map((seat, index) => [seat, SEAT_NAMES[index]])])),
      labelled(phrase("ask.vulnerable"), select("vulnerability", [["", phrase("ask.whoever")], ...Object.entries(SIDE_NAMES)])),
      labelled(phrase("ask.player"), input("player")), labelled(phrase("ask.event"), input("event")),
      labelled(phrase("ask.file"), input("source")),
      labelled(phrase("ask.contract"), input("contract", { placeholder: phrase("ask.contract-example") })),
      labelled(phrase("ask.result"), select("result", [
        ["", phrase("ask.any")], ["made", phrase("ask.made")], ["down", phrase("ask.down")],
      ])),
      labelled(phrase("ask.limit"), limit),
      h("div", { class: "stack" }, h("label", { class: "check field", for: byChance.id }, byChance, phrase("ask.by-chance")), seed),
      labelled(phrase("ask.shares"), level), classes),
  );
  const form = h(
    "form", { class: "form ask", role: "search", onsubmit: submit, novalidate: true },
    h("div", { class: "ask-fields" }, labelled(phrase("ask.archive"), archive), labelled(phrase("ask.by"), by),
      labelled(phrase("ask.mode"), mode)),
    h("div", { class: "ask-fields" },
      h("div", { class: "stack" }, h("label", { for: auction.id }, phrase("ask.auction")), auction,
        h("p", { class: "soft small", id: "auction-hint" }, phrase("ask.auction-hint")),
        h("div", { class: "row" }, offer, h("label", { class: "check field", for: exact.id }, exact, phrase("ask.exact")))),
      labelled(phrase("ask.where"), where,
        h("p", { class: "soft small", id: "where-hint" }, phrase("ask.where-hint")))),
    more, h("div", { class: "row" }, h("button", { type: "submit", class: "main" }, phrase("ask.find"))),
  );

  function fit() {
    const bidders = archives.find((one) => one.name === archive.value)?.bidders ?? {};
    const names = Object.keys(bidders);
    if (by.value && !names.includes(by.value)) names.push(by.value);
    const chosen = by.value;
    by.replaceChildren(...[["", phrase("archives.players")], ...names.map((name) => [name, name])].map(([value, text]) => (
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
    const isNamed = LEVELS.includes(shares[0] ?? "");
    level.value = isNamed ? shares[0] ?? "" : CLASSES;
    classes.querySelector("textarea").value = isNamed ? "" : shares.join("\n");
    byChance.checked = question.has("seed");
    if (!seed.value) seed.value = "1";
    if (!limit.value) limit.value = String(LIMIT);
    if (["dealer", "vulnerability", "player", "event", "source", "contract", "result", "seed", "level"].some((one) => question.has(one))) more.open = true;
    fit();
    const calls = callsBefore(state());
    offer.hidden = !calls.length;
    offer.textContent = phrase("ask.deal-auction", { calls: calls.map(callText).join(" ") });
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
