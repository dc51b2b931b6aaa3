// Views: what the page shows of one measure and one collection. Most are text until asked for.

const views = [...document.querySelectorAll(".view")].map((element) => ({
  element,
  measure: Number(element.dataset.m),
  collection: element.dataset.c === undefined ? null : Number(element.dataset.c),
  isMade: false,
}));
const choosers = {
  measure: document.getElementById("measure"),
  collection: document.getElementById("collection"),
};

function isChosen(view) {
  const fits = (own, chosen) => own === null || chosen === "all" || own === chosen;
  return fits(view.measure, state.measure) && fits(view.collection, state.collection);
}

function make(view) {
  const folded = view.element.querySelector(":scope > noscript");
  if (folded) view.element.innerHTML = folded.textContent; // the page's own, escaped as all of it
  view.isMade = true;
  const tables = [...view.element.querySelectorAll("table")];
  tables.forEach(makeSortable);
  makeStrips(view.element);
  tables.forEach(offerToSave);
}

function tablesShown() {
  return views.filter((view) => view.isMade && !view.element.hidden)
    .flatMap((view) => [...view.element.querySelectorAll("table")]);
}

function sortOthers(table) {
  for (const other of tablesShown()) {
    if (other !== table && other.dataset.kind === table.dataset.kind) sortAsChosen(other);
  }
}

function find() {
  const wanted = state.find.trim().toLowerCase();
  const all = new Set();
  const matching = new Set();
  for (const table of tablesShown().filter((one) => one.classList.contains("runs"))) {
    for (const row of table.tBodies[0].rows) {
      const name = row.querySelector("th").textContent;
      const isFound = name.toLowerCase().includes(wanted);
      row.hidden = !isFound && !row.classList.contains("base"); // of what others are compared with
      all.add(name);
      if (isFound) matching.add(name);
    }
  }
  document.getElementById("search").classList.toggle("searched", wanted !== "");
  document.getElementById("found").textContent = wanted
    ? `${matching.size} of ${all.size} runs` : `${all.size} runs`;
}

// Show what the state says.
function show() {
  for (const view of views) {
    const isShown = isChosen(view);
    if (isShown && !view.isMade) make(view);
    view.element.hidden = !isShown;
  }
  for (const table of tablesShown()) {
    table.showRun?.(state.run);
    sortAsChosen(table);
  }
  for (const [key, chooser] of Object.entries(choosers)) {
    if (chooser) chooser.value = String(state[key]);
  }
  const input = document.getElementById("find");
  if (input.value !== state.find) input.value = state.find;
  find();
}
