// Jobs: upload a file of deals, watch what is done with it, take the results.

import { authorization, ApiError, get, isMissingRoute, request, sentenceOf } from "./api.js";
import { busy, clear, h, keepFocus, notice } from "./dom.js";
import { fileLink } from "./downloads.js";
import { count, percent } from "./format.js";
import { linkTo } from "./state.js";

const POLL_MS = 1000;
const UNITS = ["bytes", "kB", "MB", "GB", "TB"];
const MODES = [
  ["first", "the auction that the table bids"], ["all", "every auction that it allows"],
  ["counts", "how many boards reach each entry"],
  ["par", "how far from par its auctions end, and those of the players"],
  ["archive", "boards for an archive"],
];
const FORMS = [["parquet", "Parquet"], ["jsonl", "JSON Lines"], ["pbn", "PBN with the auctions"]];
const OWN_FILES = ["par", "archive"];
const STATES = {
  queued: "waiting", running: "running", done: "done", failed: "failed", cancelled: "cancelled",
};

export const title = "Jobs";

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
    sending.addEventListener("error", () => reject(new ApiError("The upload was cut off. Is the service still running?", 0, "")));
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
  const label = `${count(boards)}${of ? ` of ${count(of)}` : ""} boards${rejects ? `, ${count(rejects)} rejected` : ""}`;
  return [
    job.state === "running" && h("progress", { max: of ?? 1, value: of ? boards : null, "aria-label": "progress" }),
    h("span", { class: "soft small" }, of && job.state === "running" ? `${label} (${percent(boards / of)})` : label),
  ];
}

function nameOf(job) {
  return job.input || `Job ${job.id}`;
}

function jobNode(job, actions) {
  const going = job.state === "queued" || job.state === "running";
  return h(
    "li", { class: `job ${job.state}` },
    h("div", { class: "job-head" }, h("strong", null, nameOf(job)),
      h("span", { class: `badge ${job.state === "done" ? "good" : job.state === "failed" ? "bad" : ""}` }, STATES[job.state] ?? job.state)),
    h("p", { class: "soft small" }, [
      job.table && `table ${job.table}`, job.archive && `archive ${job.archive}`, MODES.find(([mode]) => mode === job.mode)?.[1],
      job.created && `sent ${new Date(job.created).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })}`,
    ].filter(Boolean).join(", ")),
    h("div", { class: "job-progress" }, progressNode(job)),
    job.error && notice("error", job.error),
    job.archive && job.state === "done" && h("p", null, h("a", {
      href: linkTo({ view: "archives", asked: new URLSearchParams({ archive: job.archive }).toString() }),
    }, `Ask the archive ${job.archive}`)),
    job.results?.length > 0 && h("ul", { class: "results", "aria-label": "results" }, job.results.map((one) => h(
      "li", null, resultNode(job, one, actions.tell),
    ))),
    h("button", { type: "button", onclick: () => actions.end(job) }, going ? "Cancel" : "Remove",
      h("span", { class: "hidden" }, ` ${nameOf(job)}`)),
  );
}

/** Choice of what is asked: a mode, and the forms of the result that go with it. */
function choices() {
  const mode = h("select", { id: "job-mode" }, MODES.map(([value, text]) => h("option", { value }, text)));
  const boxes = FORMS.map(([value, text]) => {
    const box = h("input", { type: "checkbox", value, id: `form-${value}`, checked: value === "parquet" });
    return [box, h("label", { class: "check field", for: box.id }, box, text)];
  });
  const archive = h("input", { id: "job-archive", type: "text", autocomplete: "off", spellcheck: "false", maxlength: "64" });
  const named = h("p", { class: "field", hidden: true }, h("label", { for: archive.id }, "Archive, a new one or one to add to"), archive);
  const fit = () => {
    named.hidden = mode.value !== "archive";
    // a board has one auction in PBN; a report has files of its own, an archive none
    for (const [box] of boxes) box.disabled = OWN_FILES.includes(mode.value) || (box.value === "pbn" && mode.value !== "first");
  };
  mode.addEventListener("change", fit);
  return {
    nodes: [
      h("p", { class: "field" }, h("label", { for: "job-mode" }, "Find"), mode),
      named,
      h("fieldset", { class: "row fields" }, h("legend", null, "Results as"), boxes.map(([, label]) => label)),
    ],
    asked: () => {
      if (mode.value === "archive") {
        if (!archive.value.trim()) throw new Error("Name the archive that the boards are to come into.");
        return { mode: mode.value, archive: archive.value.trim() };
      }
      const forms = boxes.filter(([box]) => box.checked && !box.disabled).map(([box]) => box.value);
      if (mode.value !== "par" && !forms.length) throw new Error("Choose at least one form of the results.");
      return { mode: mode.value, result: forms.join(",") || "parquet" };
    },
  };
}

export async function show(place, now, signal) {
  const list = h("ul", { class: "jobs" }, h("li", null, busy("Looking for jobs…")));
  const problem = h("div", { role: "alert" });
  const told = h("p", { class: "soft", role: "status" });
  const tell = (text) => clear(problem, notice("error", text));
  const file = h("input", { type: "file", id: "archive", "aria-describedby": "archive-hint", accept: ".lin,.pbn,.parquet,.zip,.gz,.txt" });
  const choice = choices();
  const send = h("button", { type: "submit", class: "main" }, "Upload and start");
  let shown = "";
  let before = new Map();
  let wake = () => {};

  const refresh = async () => {
    const { jobs: answer, next } = await get("/v1/jobs", { signal, fresh: true });
    if (signal.aborted) return [];
    for (const job of answer) {
      const was = before.get(job.id);
      if (was && was !== job.state) told.textContent = `${nameOf(job)}: ${STATES[job.state]}.`;
    }
    before = new Map(answer.map((job) => [job.id, job.state]));
    const text = JSON.stringify(answer);
    // what has the focus is not taken away every second
    if (text !== shown) {
      keepFocus(list, () => clear(
        list, answer.length ? answer.map((job) => jobNode(job, { tell, end })) : h("li", { class: "soft" }, "No jobs yet."),
        next && h("li", { class: "soft" }, "Older jobs are not listed."),
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
          clear(place, notice("info", "This service takes no jobs."));
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
      tell("Choose a file first.");
      file.focus();
      return;
    }
    send.disabled = true;
    try {
      const asked = choice.asked();
      const query = { ...asked, name: chosen.name, ...(now.table && !asked.archive ? { table: now.table } : {}) };
      await upload(chosen, query, (share) => { told.textContent = `Uploading: ${percent(share)}`; }, signal);
      told.textContent = "Uploaded. The job is in the list below.";
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
    h("h2", null, "Jobs"),
    h("p", null, "Upload a file of deals. The service bids all of them and gives a file back."),
    h("form", { class: "form", onsubmit: start },
      h("label", { for: "archive" }, "File"), file,
      h("p", { class: "soft small", id: "archive-hint" }, "LIN, PBN or Parquet, also packed with zip or gzip."),
      choice.nodes, h("div", { class: "row" }, send)),
    problem, told, h("h3", null, "Sent"), list,
  );
  watch();
  return "";
}
