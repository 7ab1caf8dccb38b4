"""Chromium without a window, driven through its DevTools pipe: enough to open a page, click, type and look."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
KEYS = {"ArrowDown": 40, "ArrowUp": 38, "Enter": 13, "Escape": 27}


def find_browser() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One browser with one page. Commands wait for their answer."""

    def __init__(self, binary: str, profile: Path, seconds: float = 30) -> None:
        self.seconds = seconds
        theirs, self.write = os.pipe()
        self.read, out = os.pipe()
        # The browser reads descriptor 3 and writes 4, so ours have numbers out of the way of these.
        theirs_high, out_high = (fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (theirs, out))
        start = (
            f"import os, sys; os.dup2({theirs_high}, 3); os.dup2({out_high}, 4); os.execv(sys.argv[1], sys.argv[1:])"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-SE", "-c", start, binary, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(theirs_high, out_high),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for fd in (theirs, out, theirs_high, out_high):
            os.close(fd)
        self.buffer = b""
        self.count = 0
        self.session: str | None = None
        self.errors: list[str] = []  # exceptions in the page
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")
        self.send("Runtime.enable")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.read)
        os.close(self.write)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        self.count += 1
        message: dict[str, Any] = {"id": self.count, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data) :]
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                assert "error" not in answer, answer["error"]
                return answer.get("result", {})

    def receive(self) -> dict[str, Any]:
        end = time.monotonic() + self.seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self.read, 1 << 16)
            assert data, "the browser has gone"
            self.buffer += data
        first, self.buffer = self.buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(first)
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(message["params"]["exceptionDetails"])[:2000])
        return message

    # What a person does

    def open(self, page: Path) -> None:
        self.send("Page.navigate", url=page.as_uri())
        end = time.monotonic() + self.seconds
        while self.value("document.readyState") != "complete" or self.value("location.href") == "about:blank":
            assert time.monotonic() < end, "the page does not load"
            time.sleep(0.01)

    def value(self, expression: str) -> Any:
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        return str(self.value(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def texts(self, selector: str) -> list[str]:
        return list(self.value(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.innerText)"))

    def visible(self, selector: str) -> int:
        return int(
            self.value(f"[...document.querySelectorAll({json.dumps(selector)})].filter(e => e.offsetParent).length")
        )

    def click(self, selector: str) -> None:
        """In the middle of the element (or at its left, if it is wide), as a mouse does."""
        box = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;"
            " e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            " return [r.left + Math.min(r.width / 2, 80), r.top + Math.min(r.height / 2, 9)]; })()"
        )
        assert box is not None, f"there is no {selector}"
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def key(self, key: str) -> None:
        code = KEYS.get(key) or (ord(key.upper()) if len(key) == 1 and key.isalnum() else 0)
        typed = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **typed)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        for c in text:
            self.key(c)

    def size(self, width: int, height: int, dark: bool = False) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def first_paint(self) -> float:
        """Milliseconds from the start of the navigation to the first picture with something on it."""
        wait = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))"
        self.value(wait)
        entry = "performance.getEntriesByType('paint').find(e => e.name === 'first-contentful-paint')"
        return float(self.value(f"{entry}?.startTime ?? performance.now()"))
