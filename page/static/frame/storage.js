// What the browser keeps between visits. Where it keeps nothing, it lasts as long as the page.

const PREFIX = "bidcascade.";
const VERSION = 1;
const memory = new Map();
let isAside = false;

/** Value under a name, or null; what is of another version, or not `isRight`, is put aside. */
export function stored(name, isRight) {
  if (memory.has(name)) return memory.get(name);
  let text = null;
  try {
    text = localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
  if (text === null) return null;
  try {
    const { version, value } = JSON.parse(text);
    if (version === VERSION && isRight(value)) return value;
  } catch {
    // no text of this page
  }
  isAside = true;
  try {
    localStorage.setItem(`${PREFIX}${name}.aside`, text);
    localStorage.removeItem(PREFIX + name);
  } catch {
    // too full to put it aside: it is written over only when there is something new
  }
  return null;
}

/** Keep a value. */
export function store(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify({ version: VERSION, value }));
    memory.delete(name);
  } catch {
    memory.set(name, value);
  }
}

/** Whether something could not be kept. */
export function storesNothing() {
  return memory.size > 0;
}

/** Whether something was put aside since this was last asked. */
export function wasPutAside() {
  const wasAside = isAside;
  isAside = false;
  return wasAside;
}
