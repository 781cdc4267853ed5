// Builds elements. Texts become text nodes and nothing else: what a table says is never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, String(value));
  }
  put(element, ...children);
  return element;
}

/** Put children into an element; arrays are flattened, null and false left out. */
export function put(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** Element: `h("p", {class: "soft", onclick: f}, "text", other)`. */
export function h(name, properties, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** The same for SVG. */
export function svg(name, properties, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

export function clear(element, ...children) {
  element.replaceChildren();
  return put(element, ...children);
}

export function byId(id) {
  return document.getElementById(id);
}

/** Tell those who do not see the page what has changed. */
export function say(text) {
  if (text) byId("live").textContent = text;
}

/** Draw what is in a container anew; what had the focus by its place there has it again. */
export function keepFocus(container, draw) {
  const inside = () => [...container.querySelectorAll("a, button, input, select, summary")];
  const index = inside().indexOf(document.activeElement);
  draw();
  if (index >= 0) inside()[index]?.focus();
}

/** Say something, and show it in short on the button that was pressed. */
export function sayOn(button, short, text) {
  say(text);
  if (button.textContent === short) return;
  const before = [...button.childNodes];
  clear(button, short);
  setTimeout(() => clear(button, before), 2000);
}

let numbers = 0;

/** An id that no other element has. */
export function freshId(stem) {
  numbers += 1;
  return `${stem}-${numbers}`;
}

/** Table with a caption and headers; `rows` hold cells, the first cell of each is its header. */
export function table(caption, heads, rows, properties = {}) {
  const wrap = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption });
  return put(wrap, h(
    "table", properties,
    h("caption", { class: "hidden" }, caption),
    h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", null, rows.map((cells) => h("tr", null, cells.map((cell, index) => (
      index ? h("td", null, cell) : h("th", { scope: "row" }, cell)
    ))))),
  ));
}

/** Message that something went wrong, or that there is nothing to show. */
export function notice(kind, ...text) {
  return h("p", { class: `notice ${kind}` }, ...text);
}

export function busy(text) {
  return h("p", { class: "busy" }, h("span", { class: "spinner", "aria-hidden": "true" }), text);
}

/** `busy` with a bar, `{node, tell(done, of)}`: the bar moves, the sentence is read out once. */
export function busyBar(text, label) {
  const bar = h("progress", { "aria-label": label });
  const tell = (done, of) => {
    if (of) Object.assign(bar, { max: of, value: done });
  };
  return { node: put(busy(text), " ", bar), tell };
}
