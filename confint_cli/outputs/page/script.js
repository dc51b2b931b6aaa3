// Sorting and searching. Without this script the page is complete, in the order of the ranks.
"use strict";
(() => {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function keyOf(row, column, byNumber) {
    const cell = row.cells[column];
    if (!byNumber) return cell.textContent.trim();
    const number = parseFloat(cell.dataset.v ?? cell.textContent);
    return cell.dataset.v === "-inf" ? -Infinity : cell.dataset.v === "inf" ? Infinity : number;
  }

  function isEmpty(key) {
    return key === "" || Number.isNaN(key);
  }

  // Rows without a value come last either way; equal ones stay in the order of the ranks.
  function sort(table, column, header, direction) {
    const body = table.tBodies[0];
    const byNumber = header.dataset.sort === "number";
    const sign = direction === "descending" ? -1 : 1;
    const rows = [...body.rows].map((row) => ({ row, key: keyOf(row, column, byNumber) }));
    rows.sort((a, b) => {
      if (isEmpty(a.key) || isEmpty(b.key)) {
        return isEmpty(a.key) - isEmpty(b.key) || a.row.dataset.place - b.row.dataset.place;
      }
      const difference = byNumber ? Math.sign(a.key - b.key) || 0 : collator.compare(a.key, b.key);
      return sign * difference || a.row.dataset.place - b.row.dataset.place;
    });
    body.append(...rows.map(({ row }) => row));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", direction);
    const inOrder = [...body.rows].every((row, place) => Number(row.dataset.place) === place);
    table.classList.toggle("sorted", !inOrder);
  }

  function makeSortable(table) {
    [...table.tBodies[0].rows].forEach((row, place) => { row.dataset.place = place; });
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      if (!header.dataset.sort) return;
      const button = header.querySelector("span"); // on paper, a real one is not repeated
      button.setAttribute("role", "button");
      button.tabIndex = 0;
      const best = header.dataset.first === "desc" ? "descending" : "ascending";
      const other = best === "descending" ? "ascending" : "descending";
      const act = () => {
        sort(table, column, header, header.getAttribute("aria-sort") === best ? other : best);
      };
      header.addEventListener("click", act);
      button.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        act();
      });
    });
  }

  function makeSearchable(tables) {
    const box = document.getElementById("search");
    const input = document.getElementById("find");
    const found = document.getElementById("found");
    const rows = tables.flatMap((table) => [...table.tBodies[0].rows]).map((row) => {
      const name = row.querySelector("th").textContent;
      return { row, name, folded: name.toLowerCase() };
    });
    const all = new Set(rows.map(({ name }) => name)).size;
    function filter() {
      const wanted = input.value.trim().toLowerCase();
      const matching = new Set();
      for (const { row, name, folded } of rows) {
        row.hidden = !folded.includes(wanted);
        if (!row.hidden) matching.add(name);
      }
      found.textContent = wanted ? `${matching.size} of ${all} runs` : `${all} runs`;
    }
    input.addEventListener("input", filter);
    box.hidden = false;
    filter(); // a browser may have kept what was typed before
  }

  // The topic and the score of the cell that the pointer is on, where each cell is one topic.
  function nameCells(table) {
    const tables = [...document.querySelectorAll("table")];
    const topics = [...tables[tables.indexOf(table) + 1].querySelectorAll("tbody th")]
      .map((cell) => cell.textContent);
    table.addEventListener("mousemove", (event) => {
      const cell = event.target.closest("[data-scores]");
      if (!cell) return;
      const { left, width } = cell.firstChild.getBoundingClientRect();
      const place = Math.floor((event.clientX - left) / width * topics.length);
      if (!topics[place]) return;
      const score = Number(cell.dataset.scores.split(" ")[place]);
      cell.title = `topic ${topics[place]}: ${Number.isNaN(score) ? "missing" : score}`;
    });
  }

  document.querySelectorAll("table").forEach(makeSortable);
  new Set([...document.querySelectorAll(".strip")].map((cell) => cell.closest("table")))
    .forEach(nameCells);
  makeSearchable([...document.querySelectorAll("table.runs")]);
})();
