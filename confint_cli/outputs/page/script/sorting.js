// Sorting. A click on a header, or Enter, sorts a table; another one turns it round.

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const NUMBERS = /([<>]?)(-?(?:inf|\d+(?:\.\d+)?(?:e[-+]?\d+)?))/g;

// What a cell is sorted by: its words, or the numbers that it shows, the first number first.
function keyOf(cell, byNumber) {
  if (!byNumber) return cell.textContent.trim();
  if (cell.dataset.v !== undefined) return [Number(cell.dataset.v)];
  return [...cell.textContent.matchAll(NUMBERS)].map(([, sign, number]) => {
    const value = number === "inf" ? Infinity : number === "-inf" ? -Infinity : Number(number);
    return sign === "<" ? value * (1 - 1e-9) : sign === ">" ? value * (1 + 1e-9) : value;
  });
}

function compared(a, b, byNumber) {
  if (!byNumber) return collator.compare(a, b);
  for (let place = 0; place < Math.min(a.length, b.length); place += 1) {
    if (a[place] !== b[place]) return a[place] < b[place] ? -1 : 1;
  }
  return 0;
}

// Rows without a value come last either way; equal ones stay in the order of the ranks.
function sort(table, column, direction) {
  const header = table.tHead.rows[0].cells[column];
  const body = table.tBodies[0];
  const byNumber = header.dataset.sort === "number";
  const sign = direction === "descending" ? -1 : 1;
  const rows = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[column], byNumber) }));
  rows.sort((a, b) => {
    const isEmpty = [a.key.length === 0, b.key.length === 0];
    if (isEmpty[0] || isEmpty[1]) {
      return isEmpty[0] - isEmpty[1] || a.row.dataset.place - b.row.dataset.place;
    }
    const order = compared(a.key, b.key, byNumber);
    return sign * order || a.row.dataset.place - b.row.dataset.place;
  });
  body.append(...rows.map(({ row }) => row));
  showOrder(table, header, direction);
}

function unsort(table) {
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => a.dataset.place - b.dataset.place));
  showOrder(table, null, "");
}

function showOrder(table, header, direction) {
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header?.setAttribute("aria-sort", direction);
  const rows = [...table.tBodies[0].rows];
  const inOrder = rows.every((row, place) => Number(row.dataset.place) === place);
  table.classList.toggle("sorted", !inOrder);
}

function nameOf(header) {
  return header.querySelector("span").textContent;
}

// The columns with a name: a run, or a collection, may be called as another column is.
function columnsNamed(table, name) {
  return [...table.tHead.rows[0].cells]
    .filter((header) => header.dataset.sort && nameOf(header) === name);
}

// A table like others of its kind, in other views, is sorted as they are.
function sortAsChosen(table) {
  const chosen = state.sort.get(table.dataset.kind);
  const header = chosen && columnsNamed(table, chosen.name)[chosen.which];
  if (header) sort(table, header.cellIndex, chosen.direction);
  else if (table.querySelector("[aria-sort]")) unsort(table);
}

function makeSortableBy(table, header) {
  const button = header.querySelector("span"); // on paper, a real one is not repeated
  button.setAttribute("role", "button");
  button.tabIndex = 0;
  const best = header.dataset.first === "desc" ? "descending" : "ascending";
  const other = best === "descending" ? "ascending" : "descending";
  const act = () => {
    const direction = header.getAttribute("aria-sort") === best ? other : best;
    const name = nameOf(header);
    const which = columnsNamed(table, name).indexOf(header);
    state.sort.set(table.dataset.kind, { name, which, direction });
    sort(table, header.cellIndex, direction);
    sortOthers(table);
    remember();
  };
  header.addEventListener("click", act);
  button.addEventListener("focus", () => showBesideNames(table, header));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  });
}

// The names of runs stay in sight, and would cover a header that the keyboard goes back to.
function showBesideNames(table, header) {
  const names = table.tBodies[0].querySelector("th");
  if (!names || header.classList.contains("name")) return;
  const covered = names.getBoundingClientRect().right - header.getBoundingClientRect().left;
  if (covered > 0) table.closest(".box").scrollLeft -= covered;
}

function makeSortable(table) {
  [...table.tBodies[0].rows].forEach((row, place) => { row.dataset.place = place; });
  for (const header of table.tHead.rows[0].cells) {
    if (header.dataset.sort) makeSortableBy(table, header);
  }
}
