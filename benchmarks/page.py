"""The page of a shared task with many collections: what it takes, and how it feels in a browser."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import made
from benchmarks.data import scratch
from benchmarks.harness import Remark, Row, Rows, confint, measure, say
from tests.browsers import Browser, chromium, firefox

TITLE = "The page of a shared task"
COLLECTIONS, RUNS, TOPICS = 18, 130, 50
MEASURES = ("map", "ndcg_cut_10", "recip_rank")
# Each action and the layout that follows it, in milliseconds; the slowest of some counts.
_SCRIPT = """
const timed = act => {
  const start = performance.now();
  act();
  document.body.offsetHeight;
  return performance.now() - start;
};
const set = (id, value, kind) => () => {
  const field = document.getElementById(id);
  field.value = value;
  field.dispatchEvent(new Event(kind));
};
const frames = step => new Promise(done => {
  const gaps = [];
  let last = performance.now();
  const next = () => {
    const now = performance.now();
    gaps.push(now - last);
    last = now;
    step(gaps.length);
    if (gaps.length < 240) requestAnimationFrame(next);
    else done(gaps.sort((a, b) => a - b)[228]);
  };
  requestAnimationFrame(next);
});
const [navigation] = performance.getEntriesByType('navigation');
const slowest = acts => Math.max(...acts.map(timed));
const views = slowest(['5', '9', '0', '5'].map(place => set('collection', place, 'change')));
const search = slowest(['s', 'sys', 'sys1', ''].map(text => set('find', text, 'input')));
const headers = [...document.querySelectorAll('.view:not([hidden]) thead [role=button]')];
const sorting = slowest(headers.slice(0, 6).map(header => () => header.click()));
const height = document.documentElement.scrollHeight;
return frames(count => scrollTo(0, count * 60 % height)).then(frame => (
  { open: navigation.loadEventEnd, views, search, sorting, frame }));
"""


def rows() -> Rows:
    """A page beside the two commands that compute what it has; then what browsers make of it."""
    folder = Path(tempfile.mkdtemp(dir=scratch()))
    try:
        names = [f"sys{run:03d}" for run in range(1, RUNS + 1)]
        say(f"writing the scores of {COLLECTIONS} collections")
        for place in range(COLLECTIONS):
            made.write_evals(folder / f"collection{place:02d}", names, TOPICS, MEASURES)
        path = folder / "page.html"
        shared = ["--labels", "{collection}/{run}.eval", "--quiet", *sorted(folder.glob("c*"))]
        one = ["--baseline", names[0]]
        say("making the page")
        ours = measure([confint("report", *one, *shared, "-o", path)])
        both = [confint("rank", *shared), confint("compare", *one, *shared)]
        theirs = measure([[*call, "-o", str(folder / "out.tsv")] for call in both])
        contest = Row(
            f"`confint report`: {RUNS} runs, {COLLECTIONS} collections of {TOPICS} topics, "
            f"{len(MEASURES)} measures, one baseline",
            ours, "`confint rank` and `confint compare`", theirs, "a minute at most",
        )  # fmt: skip
        size = f"The page has {path.stat().st_size / 1e6:.1f} MB (goal: 8 at most)."
        return [contest, size, *_in_browsers(path, folder)]
    finally:
        shutil.rmtree(folder)


def _in_browsers(path: Path, folder: Path) -> Sequence[Remark]:
    return [_in_browser(path, folder / start.__name__, start) for start in (chromium, firefox)]


def _in_browser(path: Path, folder: Path, start: object) -> Remark:
    """Return how long a reader waits in a browser, in words."""
    assert callable(start)
    folder.mkdir()
    try:
        browser: Browser = start(folder)
    except pytest.skip.Exception as skipped:
        return f"Not tried in {start.__name__}: {skipped.msg}."
    try:
        browser.open(path.as_uri())
        took = browser.run(_SCRIPT)
    finally:
        browser.quit()
    return (
        f"In {start.__name__}, the page is open after {took['open'] / 1000:.1f} s. With the layout "
        f"that follows, another collection takes {took['views']:.0f} ms at most, a search "
        f"{took['search']:.0f} ms, and sorting {took['sorting']:.0f} ms. While a reader scrolls, "
        f"95% of frames take {took['frame']:.0f} ms or less."
    )
