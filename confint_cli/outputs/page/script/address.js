// The state of the page is in its address, so that whoever opens a link sees what its sender saw:
// #standings&measure=map&collection=news&find=dense&sort=standings:descending:mean&run=bm25
// If two columns have the same name, descending2 means the second of them.

const initial = () => ({
  section: "", measure: 0, collection: 0, find: "", run: "", sort: new Map(),
});
const DIRECTION = /^(ascending|descending)([2-9]?)$/;

function namesIn(chooser) {
  return chooser ? [...chooser.options].slice(0, -1).map((option) => option.textContent) : [];
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return ""; // an address from elsewhere may be cut short
  }
}

// The view that a link of the page itself names, as #standings-2-1 does.
function viewNamed(id) {
  return views.find((view) => view.element.id === id);
}

// The section that an address names, or that has the view which it names; empty: there is none.
function sectionOf(id) {
  return document.getElementById(id)?.closest("main section")?.id ?? "";
}

function stateOf(address) {
  const found = initial();
  for (const part of address.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    const value = decoded(part.slice(at + 1));
    const key = at < 0 ? "section" : part.slice(0, at);
    if (key === "section" && sectionOf(value)) {
      found.section = sectionOf(value);
      const view = viewNamed(value);
      if (view) found.measure = view.measure;
      if (view?.collection) found.collection = view.collection;
    } else if (key === "measure" || key === "collection") {
      const place = namesIn(choosers[key]).indexOf(value);
      if (place >= 0) found[key] = place;
    } else if ((key === "measures" || key === "collections") && value === "all") {
      const one = key.slice(0, -1);
      if (choosers[one]) found[one] = "all";
    } else if (key === "find" || key === "run") {
      found[key] = value;
    } else if (key === "sort") {
      const [kind, order, ...name] = value.split(":");
      const [, direction, which] = DIRECTION.exec(order) ?? [];
      if (direction) found.sort.set(kind, { direction, which: (which || 1) - 1, name: name.join(":") });
    }
  }
  return found;
}

function addressOf(shown) {
  const parts = shown.section ? [shown.section] : [];
  const add = (key, value) => parts.push(`${key}=${encodeURIComponent(value)}`);
  for (const key of ["measure", "collection"]) {
    if (shown[key] === "all") add(`${key}s`, "all");
    else if (shown[key]) add(key, namesIn(choosers[key])[shown[key]]);
  }
  if (shown.find) add("find", shown.find);
  for (const [kind, { direction, which, name }] of shown.sort) {
    add("sort", `${kind}:${direction}${which ? which + 1 : ""}:${name}`);
  }
  if (shown.run) add("run", shown.run);
  return `#${parts.join("&")}`;
}

let state = initial();
let waiting = 0;
const OWN = "of the page"; // marks what is in the history by what a reader did here

function rememberNow() {
  clearTimeout(waiting);
  history.replaceState(OWN, "", addressOf(state));
}

// Browsers limit how often an address may change, and typing would exceed that.
function remember() {
  clearTimeout(waiting);
  waiting = setTimeout(rememberNow, 200);
}

function visit(changes) {
  rememberNow();
  state = { ...state, ...changes };
  history.pushState(OWN, "", addressOf(state));
  show();
}

function goTo(id) {
  const target = document.getElementById(id);
  if (!target) return;
  target.scrollIntoView();
  target.tabIndex = -1; // the keyboard goes on from there
  target.focus({ preventScroll: true });
}
