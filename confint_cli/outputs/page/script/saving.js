// Tables as files: CSV for spreadsheets, LaTeX for papers. They have the rows that are shown, in
// the order in which they are shown.

// A table as texts: its columns, and the rows that are not hidden.
function contentOf(table) {
  const columns = [...table.tHead.rows[0].cells]
    .map((header, place) => ({ header, place }))
    .filter(({ header }) => header.dataset.sort && header.dataset.picture === undefined)
    .map(({ header, place }) => ({
      place,
      name: nameOf(header),
      parts: header.dataset.parts ? header.dataset.parts.split(",") : [],
      mark: header.dataset.mark,
      isNumber: header.dataset.sort === "number",
    }));
  const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
  return { columns, rows };
}

// The text of a cell, and its mark; a picture in the cell has none.
function textOf(cell) {
  const mark = cell.querySelector("i")?.textContent ?? "";
  const text = cell.textContent.trim();
  return { text: mark ? text.slice(0, -mark.length) : text, mark };
}

// No spreadsheet runs a name as a formula: a quote stands before the sign.
function guarded(name) {
  return name.replace(/(^|;)(?='*[=+@＝＋－＠-])/g, "$1'");
}

function inCsv(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function asCsv(table) {
  const { columns, rows } = contentOf(table);
  const strips = table.dataset.kind === "strips" && table.dataset.pooled === undefined;
  const names = columns.flatMap(({ name, parts, mark }) => [
    ...(parts.length ? parts : [guarded(name)]), ...(mark ? [guarded(mark)] : []),
  ]);
  const lines = rows.map((row) => columns.flatMap(({ place, parts, mark, isNumber }) => {
    const cell = textOf(row.cells[place]);
    const values = parts.length
      ? partsOf(cell.text, parts.length)
      : [isNumber ? cell.text : guarded(cell.text)];
    return [...values, ...(mark ? [cell.mark ? "yes" : ""] : [])];
  }).concat(strips ? scoresOf(row.querySelector("[data-s]"), table)
    .map((score) => shownScore(score, table)) : []));
  const topics = strips ? topicsOf(table) : [];
  return [[...names, ...topics.map(guarded)], ...lines]
    .map((line) => `${line.map(inCsv).join(",")}\n`).join("");
}

// The numbers of a cell such as [0.1, 0.2], 2–5 or 39/0/11; a rank set of one rank has it twice.
function partsOf(text, number) {
  const found = [...text.matchAll(NUMBERS)].map(([whole]) => whole);
  if (!found.length) return Array(number).fill("");
  return Array.from({ length: number }, (_, place) => found[place] ?? found.at(-1));
}

function topicsOf(strips) {
  const topics = strips.closest(".view").querySelector('[data-kind="topics"]');
  return [...topics.tBodies[0].rows]
    .sort((a, b) => a.dataset.place - b.dataset.place)
    .map((row) => row.cells[0].textContent);
}

// A name as LaTeX prints it, never obeys it.
const SPECIAL = new Map(Object.entries(LATEX.special));
const PRINTED = new Set(LATEX.printed);
const LIGATURE = /(?<=')(?=')|(?<=`)(?=`)|(?<=,)(?=,)|(?<=-)(?=-)|(?<=[?!])(?=`)/g;

function isBeyondPdflatex(text) {
  return [...text].some((letter) => letter > "\x7f" && !PRINTED.has(letter));
}

function inLatex(name) {
  const letters = [...name.replace(LIGATURE, "\0")];
  const others = letters.filter((letter) => !/\s/.test(letter) && !SPECIAL.has(letter)).join("");
  const keepsGreek = isBeyondPdflatex(others);
  return letters.map((letter) => {
    if (letter === "\0") return "{}";
    if (keepsGreek && LATEX.greek.includes(letter)) return letter;
    return SPECIAL.get(letter) ?? letter;
  }).join("");
}

function inMath(number) {
  return number.replaceAll("-", "$-$").replaceAll("<", "$<$").replaceAll(">", "$>$")
    .replaceAll("inf", "$\\infty$").replaceAll("–", "--{}").replaceAll("[", "{[}").replaceAll("]", "{]}")
    .replaceAll("%", "\\%");
}

function asLatex(table) {
  const { columns, rows } = contentOf(table);
  const row = (texts) => `${texts.join(" & ")} \\\\`;
  const lines = [
    "% \\usepackage{booktabs}",
    `% ${inLatex(table.caption.textContent)}`,
    `% ${inLatex(headingOf(table))}`,
    ...leftOut(table),
    `\\begin{tabular}{${columns.map(({ isNumber }) => (isNumber ? "r" : "l")).join("")}}`,
    "\\toprule",
    row(columns.map(({ name }) => inLatex(name))),
    "\\midrule",
    ...rows.map((one) => row(columns.map(({ place, isNumber }) => {
      const { text, mark } = textOf(one.cells[place]);
      const inside = isNumber ? inMath(text) : inLatex(text);
      return mark ? `${inside}\\rlap{${inLatex(mark)}}` : inside;
    }))),
    "\\bottomrule",
    "\\end{tabular}",
  ];
  const legend = legendOf(table);
  if (legend) lines.push(`\\par\\smallskip{\\footnotesize ${inLatex(legend)}\\par}`);
  const text = `${lines.join("\n")}\n`;
  const letters = [...text.replace(/\s/g, "")];
  if (isBeyondPdflatex(letters.join(""))) {
    return "% has letters that pdflatex stops at: xelatex and lualatex print those that a font has\n"
      + text;
  }
  return letters.some((letter) => LATEX.withT1.includes(letter))
    ? `% \\usepackage[T1]{fontenc}\n${text}` : text;
}

// What a file says of rows that the reader has not searched for.
function leftOut(table) {
  const all = [...table.tBodies[0].rows];
  const shown = all.filter((row) => !row.hidden).length;
  const wanted = inLatex(state.find.trim().replace(/\s+/g, " "));
  return shown < all.length ? [`% ${shown} of ${all.length} rows, found by a search for ${wanted}`] : [];
}

// The heading above a table, which says how many topics and runs it is about.
function headingOf(table) {
  let before = table.closest(".box").previousElementSibling;
  while (before && before.tagName !== "H3") before = before.previousElementSibling;
  return before?.textContent ?? "";
}

// What is said below a table about its numbers; what is said about its pictures stays on the page.
function legendOf(table) {
  let next = table.closest(".box").nextElementSibling;
  while (next && next.classList.contains("save")) next = next.nextElementSibling;
  return next?.classList.contains("legend") ? next.lastElementChild.textContent.trim() : "";
}

function save(name, kind, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function fileNameOf(table, ending) {
  const words = table.caption.textContent.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${words.slice(0, 80).toLowerCase() || "table"}.${ending}`;
}

function offerToSave(table) {
  const line = document.createElement("p");
  line.className = "save";
  line.append("Save as ");
  const kinds = [["CSV", "csv", "text/csv", asCsv]];
  if (table.dataset.kind !== "strips") kinds.push(["LaTeX", "tex", "text/x-tex", asLatex]);
  for (const [title, ending, kind, write] of kinds) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = title;
    button.setAttribute("aria-label", `${title}: ${table.caption.textContent}`);
    button.addEventListener("click", () => save(fileNameOf(table, ending), kind, write(table)));
    line.append(button, " ");
  }
  table.closest(".box").after(line);
}
