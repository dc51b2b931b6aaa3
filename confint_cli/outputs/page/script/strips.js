// The scores of a run as a row of colours, the score under the pointer, and the scores of one run.

// The scores of a run in the order of topics; NaN is a missing one. Scores from 0 to 1 come as ten
// thousandths of three characters each, others as numbers.
function scoresOf(cell, table) {
  const text = cell.dataset.s;
  if (table.dataset.shares === undefined) return text.split(" ").map((score) => parseFloat(score));
  return text.match(/.../g).map((score) => parseInt(score, 36) / 10_000);
}

function drawStrip(cell, table, edges) {
  const { width } = table.dataset;
  const colours = scoresOf(cell, table).map((score) => (
    Number.isNaN(score) ? "x" : `c${edges.filter((edge) => edge < score).length}`
  ));
  const paths = new Map();
  for (let start = 0; start < colours.length;) {
    const kind = colours[start];
    let end = start;
    while (end < colours.length && colours[end] === kind) end += 1;
    paths.set(kind, `${paths.get(kind) ?? ""}M${start} .5h${end - start}`);
    start = end;
  }
  const label = cell.textContent;
  const shapes = [...paths].map(([kind, path]) => `<path class="${kind}" d="${path}"/>`).join("");
  cell.innerHTML = `<svg role="img" width="${width}" height="14" `
    + `viewBox="0 0 ${colours.length} 1" preserveAspectRatio="none">${shapes}</svg>`;
  cell.firstChild.setAttribute("aria-label", `quartiles ${label}`);
}

// The topic and the score of the cell that the pointer is on, where each cell is one topic.
function nameCells(table, topics) {
  table.addEventListener("mousemove", (event) => {
    const cell = event.target.closest("[data-s]");
    if (!cell) return;
    const { left, width } = cell.firstChild.getBoundingClientRect();
    const scores = scoresOf(cell, table);
    const place = Math.floor((event.clientX - left) / width * scores.length);
    if (topics[place] === undefined) return;
    const shown = shownScore(scores[place], table) || "missing";
    cell.title = `${table.dataset.unit} ${topics[place]}: ${shown}`;
  });
}

// With the decimals of the page, of which scores from 0 to 1 come with four.
function shownScore(score, table) {
  if (Number.isNaN(score)) return "";
  if (table.dataset.shares === undefined) return String(score);
  return score.toFixed(Math.min(4, Number(table.dataset.digits)));
}

// A reader without a pointer asks for the scores of a run as a column of the table of topics.
function offerRuns(strips, topics) {
  const cells = new Map([...strips.tBodies[0].rows]
    .map((row) => [row.cells[0].textContent, row.querySelector("[data-s]")]));
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.autocomplete = "off";
  select.append(new Option("no run", ""), ...[...cells.keys()].map((run) => new Option(run, run)));
  label.append("Add a column with the scores of ", select);
  const line = document.createElement("p");
  line.className = "offer";
  line.append(label);
  topics.closest(".box").before(line);
  const show = (run) => {
    const cell = cells.get(run);
    removeColumn(topics);
    select.value = cell ? run : "";
    if (!cell) return;
    const scores = scoresOf(cell, strips);
    const header = document.createElement("th");
    header.scope = "col";
    header.className = "number";
    header.dataset.sort = "number";
    header.dataset.added = "";
    header.innerHTML = "<span></span>";
    header.firstChild.textContent = run;
    topics.tHead.rows[0].append(header);
    for (const row of topics.tBodies[0].rows) {
      row.insertCell().textContent = shownScore(scores[row.dataset.place], strips);
    }
    makeSortableBy(topics, header);
  };
  select.addEventListener("change", () => {
    state.run = select.value;
    for (const table of tablesShown()) table.showRun?.(state.run);
    sortOthers(topics);
    sortAsChosen(topics);
    remember();
  });
  topics.showRun = show;
}

function removeColumn(table) {
  const added = table.tHead.rows[0].lastElementChild;
  if (added.dataset.added === undefined) return;
  if (added.hasAttribute("aria-sort")) unsort(table);
  added.remove();
  for (const row of table.tBodies[0].rows) row.deleteCell(-1);
}

function makeStrips(view) {
  const strips = view.querySelector('[data-kind="strips"]');
  const topics = view.querySelector('[data-kind="topics"]');
  if (!strips) return;
  strips.classList.add("drawn");
  const edges = strips.dataset.edges.split(" ").filter(Boolean).map(Number);
  for (const cell of strips.querySelectorAll("[data-s]")) {
    drawStrip(cell, strips, edges);
  }
  if (strips.dataset.pooled !== undefined || !topics) return;
  const names = [...topics.tBodies[0].rows].map((row) => row.cells[0].textContent);
  nameCells(strips, names);
  offerRuns(strips, topics);
}
