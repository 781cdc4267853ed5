// Jobs: upload a file of deals, watch what is done with it, take the results.

import { authorization, ApiError, get, isMissingRoute, request, sentenceOf } from "../api.js";
import { busy, clear, h, keepFocus, notice } from "../dom.js";
import { fileLink } from "../frame/downloads.js";
import { count, percent } from "../format.js";
import { linkTo } from "../state.js";
import { phrase } from "../texts.js";

const POLL_MS = 1000;
const UNITS = ["bytes", "kB", "MB", "GB", "TB"];
const MODES = ["first", "all", "counts", "par", "archive"];
const FORMS = ["parquet", "jsonl", "pbn"];
const OWN_FILES = ["par", "archive"];
const STATES = ["queued", "running", "done", "failed", "cancelled"];

export function key(now) {
  return now.table;
}

function size(bytes) {
  let number = bytes;
  let unit = 0;
  while (number >= 1000 && unit < UNITS.length - 1) {
    number /= 1000;
    unit += 1;
  }
  return `${unit ? number.toFixed(1) : number} ${UNITS[unit]}`;
}

/** Send a file; resolves with the new job. `progress(share)` hears how much has gone. */
function upload(file, query, progress, signal) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", `/v1/jobs?${new URLSearchParams(query)}`);
    sending.setRequestHeader("Content-Type", "application/octet-stream");
    sending.setRequestHeader("Accept", "application/json");
    for (const [name, value] of Object.entries(authorization())) sending.setRequestHeader(name, value);
    sending.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) progress(event.loaded / event.total);
    });
    sending.addEventListener("load", () => {
      let answer = null;
      try {
        answer = JSON.parse(sending.responseText);
      } catch {
        // told below by its status
      }
      if (sending.status === 202 && answer) resolve(answer);
      else reject(new ApiError(sentenceOf(sending.status, answer, sending.getResponseHeader("retry-after")), sending.status, ""));
    });
    sending.addEventListener("error", () => reject(new ApiError(phrase("jobs.cut-off"), 0, "")));
    sending.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
    signal.addEventListener("abort", () => sending.abort(), { once: true });
    sending.send(file);
  });
}

function jobPath(id, ...more) {
  return ["/v1/jobs", id, ...more].map((part, index) => (index ? encodeURIComponent(part) : part)).join("/");
}

function resultNode(job, result, tell) {
  return fileLink(jobPath(job.id, "results", result.name), `${result.name} (${size(result.bytes)})`, tell, result.name);
}

function progressNode(job) {
  const { boards = 0, of = null, rejects = 0 } = job.progress ?? {};
  const label = phrase(of ? "jobs.boards-of" : "jobs.boards", { done: count(boards), all: count(of ?? 0) })
    + (rejects ? phrase("jobs.rejected", { rejects: count(rejects) }) : "");
  return [
    job.state === "running" && h("progress", { max: of ?? 1, value: of ? boards : null, "aria-label": phrase("jobs.progress") }),
    h("span", { class: "soft small" }, of && job.state === "running" ? phrase("jobs.share", { boards: label, share: percent(boards / of) }) : label),
  ];
}

function stateText(job) {
  return STATES.includes(job.state) ? phrase(`jobs.${job.state}`) : job.state;
}

function timeText(time) {
  return time.toLocaleString(phrase("jobs.locale"), { dateStyle: "medium", timeStyle: "short" });
}

function nameOf(job) {
  return job.input || phrase("jobs.job", { id: job.id });
}

function jobNode(job, actions) {
  const going = job.state === "queued" || job.state === "running";
  return h(
    "li", { class: `job ${job.state}` },
    h("div", { class: "job-head" }, h("strong", null, nameOf(job)),
      h("span", { class: `badge ${job.state === "done" ? "good" : job.state === "failed" ? "bad" : ""}` }, stateText(job))),
    h("p", { class: "soft small" }, [
      job.table && phrase("jobs.of-table", { table: job.table }),
      job.archive && phrase("jobs.of-archive", { archive: job.archive }),
      MODES.includes(job.mode) && phrase(`jobs.${job.mode}`),
      job.created && phrase("jobs.sent-at", { time: timeText(new Date(job.created)) }),
    ].filter(Boolean).join(", ")),
    h("div", { class: "job-progress" }, progressNode(job)),
    job.error && notice("error", job.error),
    job.archive && job.state === "done" && h("p", null, h("a", {
      href: linkTo({ view: "archives", asked: new URLSearchParams({ archive: job.archive }).toString() }),
    }, phrase("jobs.ask", { archive: job.archive }))),
    job.results?.length > 0 && h("ul", { class: "results", "aria-label": phrase("jobs.results") }, job.results.map((one) => h(
      "li", null, resultNode(job, one, actions.tell),
    ))),
    h("button", { type: "button", onclick: () => actions.end(job) }, phrase(going ? "jobs.cancel" : "jobs.remove"),
      h("span", { class: "hidden" }, ` ${nameOf(job)}`)),
  );
}

/** Choice of what is asked: a mode, and the forms of the result that go with it. */
function choices() {
  const mode = h("select", { id: "job-mode" }, MODES.map((value) => h("option", { value }, phrase(`jobs.${value}`))));
  const boxes = FORMS.map((value) => {
    const box = h("input", { type: "checkbox", value, id: `form-${value}`, checked: value === "parquet" });
    return [box, h("label", { class: "check field", for: box.id }, box, phrase(`jobs.${value}`))];
  });
  const archive = h("input", { id: "job-archive", type: "text", autocomplete: "off", spellcheck: "false", maxlength: "64" });
  const named = h("p", { class: "field", hidden: true }, h("label", { for: archive.id }, phrase("jobs.archive-name")), archive);
  const fit = () => {
    named.hidden = mode.value !== "archive";
    // a board has one auction in PBN; a report has files of its own, an archive none
    for (const [box] of boxes) box.disabled = OWN_FILES.includes(mode.value) || (box.value === "pbn" && mode.value !== "first");
  };
  mode.addEventListener("change", fit);
  return {
    nodes: [
      h("p", { class: "field" }, h("label", { for: "job-mode" }, phrase("jobs.find")), mode),
      named,
      h("fieldset", { class: "row fields" }, h("legend", null, phrase("jobs.forms")), boxes.map(([, label]) => label)),
    ],
    request: () => {
      if (mode.value === "archive") {
        if (!archive.value.trim()) throw new Error(phrase("jobs.name-archive"));
        return { mode: mode.value, archive: archive.value.trim() };
      }
      const forms = boxes.filter(([box]) => box.checked && !box.disabled).map(([box]) => box.value);
      if (mode.value !== "par" && !forms.length) throw new Error(phrase("jobs.choose-form"));
      return { mode: mode.value, result: forms.join(",") || "parquet" };
    },
  };
}

export async function show(place, now, signal) {
  const list = h("ul", { class: "jobs" }, h("li", null, busy(phrase("jobs.looking"))));
  const problem = h("div", { role: "alert" });
  const status = h("p", { class: "soft", role: "status" });
  const tell = (text) => clear(problem, notice("error", text));
  const file = h("input", { type: "file", id: "archive", "aria-describedby": "archive-hint", accept: ".lin,.pbn,.parquet,.zip,.gz,.txt" });
  const choice = choices();
  const send = h("button", { type: "submit", class: "main" }, phrase("jobs.start"));
  let shown = "";
  let before = new Map();
  let wake = () => {};

  const refresh = async () => {
    const { jobs: answer, next } = await get("/v1/jobs", { signal, fresh: true });
    if (signal.aborted) return [];
    for (const job of answer) {
      const was = before.get(job.id);
      if (was && was !== job.state) status.textContent = phrase("jobs.changed", { job: nameOf(job), state: stateText(job) });
    }
    before = new Map(answer.map((job) => [job.id, job.state]));
    const text = JSON.stringify(answer);
    // what has the focus is not taken away every second
    if (text !== shown) {
      keepFocus(list, () => clear(
        list, answer.length ? answer.map((job) => jobNode(job, { tell, end })) : h("li", { class: "soft" }, phrase("jobs.none")),
        next && h("li", { class: "soft" }, phrase("jobs.older")),
      ));
      shown = text;
    }
    return answer;
  };
  const watch = async () => {
    while (!signal.aborted) {
      let going = false;
      try {
        going = (await refresh()).some((job) => job.state === "queued" || job.state === "running");
      } catch (error) {
        if (signal.aborted) return;
        if (isMissingRoute(error)) {
          clear(place, notice("info", phrase("jobs.not-offered")));
          return;
        }
        // in place of the jobs, so that it goes when they can be seen again
        if (error.message !== shown) clear(list, h("li", { role: "alert" }, notice("error", error.message)));
        shown = error.message;
      }
      await new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, going ? POLL_MS : 5 * POLL_MS);
        signal.addEventListener("abort", resolve, { once: true });
      });
    }
  };
  const end = async (job) => {
    try {
      await request(jobPath(job.id), { method: "DELETE", signal });
      await refresh();
    } catch (error) {
      if (!signal.aborted) tell(error.message);
    }
  };
  const start = async (event) => {
    event.preventDefault();
    clear(problem);
    const [chosen] = file.files;
    if (!chosen) {
      tell(phrase("jobs.choose-file"));
      file.focus();
      return;
    }
    send.disabled = true;
    try {
      const fields = choice.request();
      const query = { ...fields, name: chosen.name, ...(now.table && !fields.archive ? { table: now.table } : {}) };
      await upload(chosen, query, (share) => { status.textContent = phrase("jobs.uploading", { share: percent(share) }); }, signal);
      status.textContent = phrase("jobs.uploaded");
      file.value = "";
      wake();
    } catch (error) {
      if (!signal.aborted) tell(error.message);
    } finally {
      send.disabled = false;
    }
  };
  clear(
    place,
    h("h2", null, phrase("help.jobs")),
    h("p", null, phrase("jobs.intro")),
    h("form", { class: "form", onsubmit: start },
      h("label", { for: "archive" }, phrase("jobs.file")), file,
      h("p", { class: "soft small", id: "archive-hint" }, phrase("jobs.file-hint")),
      choice.nodes, h("div", { class: "row" }, send)),
    problem, status, h("h3", null, phrase("jobs.sent")), list,
  );
  watch();
  return "";
}
