// The page comes to life; all else is functions.

for (const [key, chooser] of Object.entries(choosers)) {
  chooser?.addEventListener("change", () => {
    visit({ [key]: chooser.value === "all" ? "all" : Number(chooser.value) });
  });
}
document.getElementById("find").addEventListener("input", (event) => {
  state.find = event.target.value;
  find();
  remember();
});
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const view = viewNamed(link.hash.slice(1));
  const section = sectionOf(link.hash.slice(1));
  visit({ section, ...(view && { measure: view.measure, collection: view.collection ?? 0 }) });
  goTo(section);
});
// When the reader goes back, the browser itself knows where the reader was.
function follow(event) {
  clearTimeout(waiting);
  state = stateOf(location.hash);
  show();
  if (state.section && event?.state !== OWN) goTo(state.section);
}
window.addEventListener("popstate", follow);
window.addEventListener("beforeprint", () => { // paper cannot be unfolded
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
// A section that a reader goes to stands below the bar, however many lines the bar has.
const bar = document.getElementById("search");
const [sheet] = document.styleSheets;
const ofBar = sheet.cssRules[sheet.insertRule(":root {}", sheet.cssRules.length)];
const measure = () => ofBar.style.setProperty("--bar", `${bar.offsetHeight}px`);
bar.hidden = false;
measure();
new ResizeObserver(measure).observe(bar);
follow();
