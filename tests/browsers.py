"""Two real browsers behind one interface, and axe-core, which finds what hinders readers.

Chromium is driven by Debian's chromedriver and selenium. Firefox's driver is not in Debian, and
the known packages of PyPI and npm only fetch it from GitHub; so Firefox is spoken to directly, in
the protocol that it has built in (WebDriver BiDi, over a websocket).

Both see a page as a reader does: pointer and keys are real, and what a test runs in the page is
exempt from the policy of the page (Content-Security-Policy), as the console of a browser is.
"""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

AXE = "4.14.0"  # the version of axe-core; a newer one may know more rules
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
START = 60  # seconds that a browser may take until it answers, on a busy machine
DESKTOP = (1280, 800)
KEYS = {
    "Backspace": "\ue003", "Tab": "\ue004", "Enter": "\ue007", "Shift": "\ue008",
    "Control": "\ue009", "Alt": "\ue00a", "Escape": "\ue00c", "Space": " ", "PageUp": "\ue00e",
    "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Delete": "\ue017",
    "Meta": "\ue03d",
}  # fmt: skip
# A point of an element, after it has been scrolled into view; and that nothing covers it there.
POINT = """
const [selector, place, across] = arguments;
const element = document.querySelectorAll(selector)[place];
if (!element) throw new Error(`no ${selector} at place ${place}`);
element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
const [box] = element.getClientRects();
if (!box) throw new Error(`${selector} at place ${place} is not shown`);
const inside = (low, high, size, part) => {
  low = Math.max(low, 0);
  return Math.floor(low + (Math.min(high, size) - low) * part);
};
const x = inside(box.left, box.right, innerWidth, across);
const y = inside(box.top, box.bottom, innerHeight, 0.5);
const top = document.elementFromPoint(x, y);
if (!element.contains(top)) throw new Error(`${selector} is covered by ${top && top.outerHTML}`);
return [x, y];
"""
# No promise where there is none: without scripts of the page, none is ever kept in Firefox.
WRAPPED = """
const text = value => JSON.stringify(value === undefined ? null : value);
const value = (function () { BODY
}).apply(null, JSON.parse(arguments[0]));
return value instanceof Promise ? value.then(text) : text(value);
"""
CHECK = """
const [context, tags] = arguments;
return axe.run(context || document, { runOnly: tags, resultTypes: ['violations'] }).then(found =>
  found.violations.flatMap(rule => rule.nodes.map(node => [
    rule.id, node.impact || rule.impact, node.target.flat(Infinity).join(' '), node.failureSummary,
  ])));
"""


class ScriptError(Exception):
    """What a script of a test threw in the page."""


class Browser(ABC):
    """A headless browser with one page, and a folder where downloads go."""

    name: str

    def __init__(self, folder: Path) -> None:
        self.downloads = folder / "downloads"
        self.downloads.mkdir(parents=True)
        self._opened = ""
        self._texts: list[str] = []
        self._uris: list[str] = []

    def open(self, uri: str) -> None:
        """Go to a page and wait for it; if only the fragment is another, it is not loaded anew."""
        self._forget()
        self._opened = uri.partition("#")[0]
        self._load(uri)

    def reload(self) -> None:
        self._forget()
        self._load("")

    def run(self, body: str, *arguments: Any) -> Any:
        """Run the body of a function in the page; a promise is waited for.

        Arguments and result travel as JSON, so that they are the same from both browsers.
        """
        return json.loads(self._run(WRAPPED.replace("BODY", body), json.dumps(arguments)))

    def point(self, selector: str, place: int = 0, across: float = 0.5) -> None:
        """Move the pointer to the middle of an element, or so far across it."""
        self._pointer(selector, place, across)

    def click(self, selector: str, place: int = 0) -> None:
        self._pointer(selector, place, 0.5, "pointerDown", "pointerUp")

    def _pointer(self, selector: str, place: int, across: float, *then: str) -> None:
        x, y = self.run(POINT, selector, place, across)
        move: dict[str, Any] = {"type": "pointerMove", "x": x, "y": y, "duration": 0}
        self._act("pointer", [move, *({"type": kind, "button": 0} for kind in then)])

    def press(self, *keys: str) -> None:
        """Press keys by their names (`Tab`, `Shift+Tab`, `Control+a`), or type another text."""
        for key in keys:
            held = re.fullmatch(r"((?:(?:Shift|Control|Alt|Meta)\+)+)(\w+)", key)
            if held:
                self._keys(KEYS.get(held[2], held[2]), [KEYS[k] for k in held[1][:-1].split("+")])
            else:
                self._keys(KEYS.get(key, key), [])

    def type_into(self, selector: str, text: str) -> None:
        """Type a text, whatever it says, in place of that of a field."""
        self.click(selector)
        self.press("Control+a", "Backspace")
        self._keys(text, [])

    def _keys(self, text: str, held: list[str]) -> None:
        strokes = [("keyDown", key) for key in held]
        strokes += [(kind, key) for key in text for kind in ("keyDown", "keyUp")]
        strokes += [("keyUp", key) for key in reversed(held)]
        self._act("key", [{"type": kind, "value": key} for kind, key in strokes])

    def said(self) -> list[str]:
        """Return the errors and warnings of the page since it was opened, or since last asked.

        To them belong exceptions that nothing caught, what the policy of the page forbade, and
        dialogs, which are dismissed.
        """
        self._settle()
        texts, self._texts = self._texts, []
        return texts

    def requested(self) -> list[str]:
        """Return what was requested since the page was opened, but for the page itself.

        What is in memory (`data:`, `blob:`) is not asked of anybody, and Firefox does not tell
        of files: of a page on a disk it even takes others from there that the policy forbids.
        """
        self._settle()
        own = ("data:", "blob:")
        return [u for u in self._uris if u != self._opened and not u.startswith(own)]

    def _settle(self) -> None:
        time.sleep(0.05)  # what is said comes some time after what it is about
        self.run("")
        self._listen()

    def _forget(self) -> None:
        self._listen()
        self._texts, self._uris = [], []

    def downloaded(self, name: str, timeout: float = 10) -> bytes:
        """Wait for a download as a whole, and take it away, so that the name is free again."""
        path, end = self.downloads / name, time.monotonic() + timeout
        while not self._complete(path):
            if time.monotonic() > end:
                there = sorted(file.name for file in self.downloads.iterdir())
                raise TimeoutError(f"{name} was not downloaded in {timeout} s, but {there}")
            time.sleep(0.05)
        content = path.read_bytes()
        path.unlink()
        return content

    @abstractmethod
    def _listen(self) -> None:
        """Take down what was said and requested since it was last taken down."""

    @abstractmethod
    def _load(self, uri: str) -> None:
        """Go to a page; with an empty address, once more to the one that is open."""

    @abstractmethod
    def _run(self, body: str, argument: str) -> str: ...
    @abstractmethod
    def _act(self, kind: str, actions: list[dict[str, Any]]) -> None:
        """Let a pointer or a keyboard act; both protocols describe this alike."""

    @abstractmethod
    def _complete(self, path: Path) -> bool: ...
    @abstractmethod
    def resize(self, width: int, height: int, phone: bool = False) -> None:
        """Set the size of the page; a phone also has a finger in place of a mouse.

        Pages for phones have to say that they are as wide as the device is.
        """

    @abstractmethod
    def scheme(self, name: str) -> None:
        """Let the reader prefer `dark` or `light`; with an empty name, nothing."""

    @abstractmethod
    def media(self, name: str) -> None:
        """Show the page as it is printed, with `print`; on a screen, with an empty name."""

    @abstractmethod
    def scripts(self, on: bool) -> None:
        """Whether pages that are opened from now on may run their scripts."""

    @abstractmethod
    def print_pdf(self) -> bytes: ...
    @abstractmethod
    def screenshot(self, path: Path) -> None: ...
    @abstractmethod
    def quit(self) -> None:
        """End the browser, and all its processes."""


class Chromium(Browser):
    name = "chromium"

    def __init__(self, folder: Path, program: str, driver: str) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        super().__init__(folder)
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", f"--user-data-dir={folder / 'profile'}",
        ):  # fmt: skip
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        options.unhandled_prompt_behavior = "dismiss"
        self._emulated = {"media": "", "prefers-color-scheme": ""}
        # In a session of its own, by which all that it starts is found in the end.
        alone = {"start_new_session": True}
        service = Service(driver, popen_kw=alone, env=surroundings(folder))
        try:
            self._driver: Any = webdriver.Chrome(options=options, service=service)
        except BaseException:
            if getattr(service, "process", None):
                end_session(service.process.pid)
            raise
        self._driver.set_script_timeout(60)
        self._cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        self.resize(*DESKTOP)

    def _cdp(self, command: str, **parameters: Any) -> Any:
        return self._driver.execute_cdp_cmd(command, parameters)

    def _listen(self) -> None:
        entries = self._driver.get_log("browser")
        self._texts += [e["message"] for e in entries if e["level"] in ("WARNING", "SEVERE")]
        sent, refused = [], set()
        for entry in self._driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            about = event["params"]
            if event["method"] == "Network.requestWillBeSent":
                sent.append((about["requestId"], about["request"]["url"]))
            elif event["method"] == "Network.loadingFailed" and about.get("blockedReason") == "csp":
                refused.add(about["requestId"])  # before it could leave
            elif event["method"] == "Page.javascriptDialogOpening":
                self._texts.append(f"{about['type']}: {about['message']}")
        self._uris += [uri for request, uri in sent if request not in refused]

    def _load(self, uri: str) -> None:
        self._driver.get(uri) if uri else self._driver.refresh()

    def _run(self, body: str, argument: str) -> str:
        from selenium.common.exceptions import JavascriptException

        try:
            result: str = self._driver.execute_script(body, argument)
        except JavascriptException as error:
            raise ScriptError((error.msg or "").split("\n")[0]) from None
        return result

    def _act(self, kind: str, actions: list[dict[str, Any]]) -> None:
        source = {"type": kind, "id": kind, "actions": actions}
        self._driver.execute("actions", {"actions": [source]})

    def _complete(self, path: Path) -> bool:
        # It is written under another name; meanwhile an empty file may keep its own for it.
        return path.exists() and path.stat().st_size > 0

    def resize(self, width: int, height: int, phone: bool = False) -> None:
        self._cdp(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=phone,
        )  # fmt: skip
        self._cdp("Emulation.setTouchEmulationEnabled", enabled=phone, maxTouchPoints=5)

    def _emulate(self, feature: str, value: str) -> None:
        self._emulated[feature] = value
        media, scheme = self._emulated.values()
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._cdp("Emulation.setEmulatedMedia", media=media, features=features)

    def scheme(self, name: str) -> None:
        self._emulate("prefers-color-scheme", name)

    def media(self, name: str) -> None:
        self._emulate("media", name)

    def scripts(self, on: bool) -> None:
        self._cdp("Emulation.setScriptExecutionDisabled", value=not on)

    def print_pdf(self) -> bytes:
        return base64.b64decode(self._cdp("Page.printToPDF", printBackground=True)["data"])

    def screenshot(self, path: Path) -> None:
        path.write_bytes(self._driver.get_screenshot_as_png())

    def quit(self) -> None:
        driver = self._driver.service.process
        with suppress(Exception):  # it has crashed, or is gone
            self._driver.quit()
        end_session(driver.pid)


class Firefox(Browser):
    name = "firefox"

    def __init__(self, folder: Path, program: str) -> None:
        super().__init__(folder)
        profile = folder / "profile"
        profile.mkdir()
        wanted = {
            "browser.startup.page": 0,  # an empty one
            "browser.download.alwaysOpenPanel": False,  # it would take the focus from the page
            "fission.bfcacheInParent": False,  # otherwise what is emulated is lost with a page
            "datareporting.policy.dataSubmissionEnabled": False,
            "app.normandy.enabled": False,
            "network.captive-portal-service.enabled": False,
        }
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in wanted.items()]
        (profile / "user.js").write_text("".join(lines))
        self._count = 0
        self._saved: set[str] = set()
        self._socket: Any = None
        with (folder / "output").open("w") as output:
            self._process = subprocess.Popen(
                [program, "--headless", "--no-remote", "--profile", str(profile),
                 "--remote-debugging-port=0", "--remote-allow-system-access"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                env={**surroundings(folder), "MOZ_CRASHREPORTER_DISABLE": "1"},
            )  # fmt: skip
        try:
            self._connect(profile / "WebDriverBiDiServer.json")
        except BaseException:
            self.quit()
            raise

    def _connect(self, address: Path) -> None:
        """Begin a session, at the port that Firefox has chosen and written there."""
        import websocket

        end = time.monotonic() + START
        while True:
            with suppress(FileNotFoundError, ValueError):  # it is not written yet, or not wholly
                port = json.loads(address.read_text())["ws_port"]
                break
            if self._process.poll() is not None or time.monotonic() > end:
                raise ConnectionError("it opens no port")
            time.sleep(0.05)
        self._socket = websocket.create_connection(
            f"ws://127.0.0.1:{port}/session", timeout=START, suppress_origin=True
        )
        self._command("session.new", capabilities={})
        self._page = self._command("browsingContext.getTree")["contexts"][0]["context"]
        # The window about the page can do what the protocol has no commands for yet.
        window = self._command("browsingContext.getTree", **{"moz:scope": "chrome"})
        self._window = window["contexts"][0]["context"]
        empty = self.downloads.parent / "empty.html"
        empty.write_text('<meta name="viewport" content="width=device-width">')
        self._load(empty.as_uri())  # pages from the disk have a process of their own
        self._run("gBrowser.selectedBrowser.focus(); return ''", "", self._window)
        self._command(
            "session.subscribe",
            events=["log.entryAdded", "network.beforeRequestSent", "browsingContext.downloadEnd",
                    "browsingContext.userPromptOpened"],
            contexts=[self._page],
        )  # fmt: skip
        folder = {"type": "allowed", "destinationFolder": str(self.downloads)}
        self._command("browser.setDownloadBehavior", downloadBehavior=folder)
        self.resize(*DESKTOP)

    def _command(self, method: str, **parameters: Any) -> Any:
        """Give a command and wait for its result; take down the events that come before it."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        self._socket.send(json.dumps(message))
        while (answer := json.loads(self._socket.recv())).get("id") != self._count:
            self._event(answer.get("method"), answer.get("params"))
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
        return answer["result"]

    def _event(self, method: str | None, about: Any) -> None:
        if method == "log.entryAdded" and about["level"] in ("warn", "error"):
            self._texts.append(about["text"])
        elif method == "browsingContext.userPromptOpened":
            self._texts.append(f"{about['type']}: {about['message']}")
        elif method == "network.beforeRequestSent":
            self._uris.append(about["request"]["url"])
        elif method == "browsingContext.downloadEnd" and about["status"] == "complete":
            self._saved.add(about["filepath"])

    def _listen(self) -> None:
        self._command("session.status")

    def _load(self, uri: str) -> None:
        here = self.run("window.isLeft = true; return location.href")
        method, to = ("navigate", {"url": uri}) if uri else ("reload", {})
        self._command(f"browsingContext.{method}", context=self._page, wait="complete", **to)
        page, has_fragment, _ = uri.partition("#")
        if not has_fragment or page != here.partition("#")[0]:
            # The page itself: for Firefox, the end of a download may end a load, too.
            self._wait("return !window.isLeft && document.readyState === 'complete'")

    def _wait(self, condition: str, *arguments: Any) -> None:
        """Wait until a script says that something is so."""
        end = time.monotonic() + START
        while time.monotonic() < end:
            with suppress(RuntimeError, ScriptError):  # between the one page and the other
                if self.run(condition, *arguments):
                    return
            time.sleep(0.01)
        raise TimeoutError(f"in {START} s, this was not so: {condition}")

    def _run(self, body: str, argument: str, context: str = "") -> str:
        result = self._command(
            "script.callFunction",
            functionDeclaration=f"function () {{ {body} }}",
            arguments=[{"type": "string", "value": argument}],
            target={"context": context or self._page},
            awaitPromise=True,
        )
        if result["type"] == "exception":
            raise ScriptError(result["exceptionDetails"]["text"])
        value: str = result["result"].get("value", "")
        return value

    def _set(self, what: str, value: str | float) -> None:
        """Set an attribute of the page as the window about it sees it."""
        script = f"gBrowser.selectedBrowser.browsingContext.{what} = JSON.parse(arguments[0])"
        self._run(script, json.dumps(value), self._window)

    def _act(self, kind: str, actions: list[dict[str, Any]]) -> None:
        source = {"type": kind, "id": kind, "actions": actions}
        self._command("input.performActions", context=self._page, actions=[source])

    def _complete(self, path: Path) -> bool:
        self._listen()
        done = str(path) in self._saved
        self._saved.discard(str(path))
        return done

    def resize(self, width: int, height: int, phone: bool = False) -> None:
        # By hand: `browsingContext.setViewport` may wait for ever for a page that has its size.
        self._set("inRDMPane", phone)
        self._set("touchEventsOverride", "enabled" if phone else "none")
        self._set("overrideDPPX", 1)
        size = f"width: {width}px; height: {height}px"
        script = "gBrowser.selectedBrowser.style.cssText = arguments[0]; return ''"
        self._run(script, size, self._window)
        query = f"(width: {width}px) and (height: {height}px)"
        self._wait("return matchMedia(arguments[0]).matches", query)

    def scheme(self, name: str) -> None:
        self._set("prefersColorSchemeOverride", name or "none")

    def media(self, name: str) -> None:
        self._set("mediumOverride", name)

    def scripts(self, on: bool) -> None:
        self._set("allowJavascript", on)

    def print_pdf(self) -> bytes:
        printed = self._command("browsingContext.print", context=self._page, background=True)
        return base64.b64decode(printed["data"])

    def screenshot(self, path: Path) -> None:
        taken = self._command("browsingContext.captureScreenshot", context=self._page)
        path.write_bytes(base64.b64decode(taken["data"]))

    def quit(self) -> None:
        with suppress(Exception):  # it has crashed, or never answered
            self._socket.settimeout(10)
            self._command("browser.close")
            self._process.wait(10)
        with suppress(Exception):
            self._socket.close()
        end_session(self._process.pid)
        self._process.wait()


def surroundings(folder: Path) -> dict[str, str]:
    """Return an environment in which a browser leaves nothing in the home of who runs the tests."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    others = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return {**others, "HOME": str(home)}


def end_session(leader: int) -> None:
    """End what is left of the processes of a session that these tests have started."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == leader:
                os.kill(int(stat.parent.name), signal.SIGKILL)


def chromium(folder: Path) -> Browser:
    """Start Chromium with a new profile in a folder; where there is none, skip."""
    pytest.importorskip("selenium.webdriver", reason="needs selenium")
    from selenium.common.exceptions import WebDriverException

    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (program and driver):
        pytest.skip("needs chromium and chromedriver on the PATH")
    try:
        return Chromium(folder, program, driver)
    except WebDriverException as error:
        pytest.skip(f"needs a chromium that starts here: {error.msg}")


def firefox(folder: Path) -> Browser:
    """Start Firefox with a new profile in a folder; where there is none, skip."""
    websocket = pytest.importorskip(
        "websocket", reason="needs websocket-client, which comes with selenium"
    )
    program = shutil.which("firefox") or shutil.which("firefox-esr")
    if not program:
        pytest.skip("needs firefox on the PATH")
    try:
        return Firefox(folder, program)
    except (OSError, RuntimeError, websocket.WebSocketException) as error:
        output = " ".join((folder / "output").read_text(errors="replace").split())[-200:]
        pytest.skip(f"needs a firefox that starts here and knows WebDriver BiDi: {error}: {output}")


def axe(cache: Path = Path(sys.prefix) / "share" / "axe-core") -> str:
    """Return the source of axe-core, which npm fetches once; where it cannot, skip."""
    path = cache / AXE / "axe.min.js"
    if not path.exists():
        npm = shutil.which("npm")
        if not npm:
            pytest.skip("needs npm on the PATH, to fetch axe-core")
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            try:
                subprocess.run(
                    [npm, "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund",
                     "--fetch-retries=0", "--fetch-timeout=15000", "--loglevel=error",
                     "--prefix", folder, f"axe-core@{AXE}"],
                    check=True, capture_output=True, text=True, timeout=60,
                )  # fmt: skip
            except subprocess.SubprocessError as error:
                why = " ".join(str(getattr(error, "stderr", "") or error).split())[:200]
                pytest.skip(f"needs axe-core {AXE} of the npm registry: {why}")
            path.parent.mkdir(exist_ok=True)
            # All at once, as another process of the test run may be at the same.
            Path(folder, "node_modules", "axe-core", "axe.min.js").replace(path)
    return path.read_text(encoding="utf-8")


def violations(browser: Browser, axe_source: str, context: str | None = None) -> list[str]:
    """Return what axe finds wrong in the page as it is, or in a part of it, each in a line."""
    if not browser.run("return Boolean(window.axe)"):
        browser.run(axe_source)
    return [
        f"{rule} ({impact}): {target}: {' '.join(summary.split())}"
        for rule, impact, target, summary in browser.run(CHECK, context, RULES)
    ]
