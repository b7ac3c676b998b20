"""Chromium driven by Playwright alone, MiniWoB++ and BrowserGym, as ``player.py`` plays them."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from playing import Played, Scripts, scripts_of, typed_calls

_MARGIN = 5
"""Pixels from a field's corner to where it is clicked."""


def playwright(env_id: str, theme: str, size: tuple[int, int], browser: str) -> Played:
    """Playwright on the page of one of our web forms: a click or some keys, then a screenshot as an array.

    Args:
        env_id: of the form.
        theme: how it looks.
        size: of the window, in pixels.
        browser: its path.
    """
    from PIL import Image

    planner: Any = gym.make(f"formgym:{env_id}", disable_env_checker=True, theme=theme)
    url = f"{_site()}forms/{planner.unwrapped.forms[0]}/env?theme={theme}"
    context = _browser(browser).new_context(viewport={"width": size[0], "height": size[1]})
    page = context.new_page()

    def frame() -> np.ndarray:
        return np.asarray(Image.open(BytesIO(page.screenshot())).convert("RGB"))

    def reset() -> None:
        page.goto(url)
        frame()

    def scripts() -> Scripts:
        planner.reset()
        calls = typed_calls(planner.unwrapped)
        for call in calls.pop("before"):
            step(call)
        return calls

    def step(call: Any) -> np.ndarray:
        if call["tool"] == "click":
            page.mouse.click(call["x"], call["y"])
        else:
            page.keyboard.type(call["text"])
        return frame()

    return Played(reset, scripts, step, _browser(browser).close)


@lru_cache
def _browser(path: str) -> Any:
    from playwright.sync_api import sync_playwright

    return sync_playwright().start().chromium.launch(executable_path=path)


@lru_cache
def _site() -> str:
    from formgym.envs.web_forms.site.app import listening_server
    from formgym.envs.web_forms.site.records import Records

    server, url = listening_server("127.0.0.1", 0, Records(Path()))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return url


def miniwob(task: str, browser: str, driver: str) -> Played:
    """MiniWoB++, which drives Chromium by Selenium.

    Args:
        task: a page with two text fields.
        browser: the path of Chromium.
        driver: the path of chromedriver.
    """
    os.environ |= {"MINIWOB_CHROME_BINARY": browser, "MINIWOB_CHROMEDRIVER": driver}
    gym.register_envs(import_module("miniwob"))
    kinds = import_module("miniwob.action").ActionTypes
    env: Any = gym.make(f"miniwob/{task}-v1", disable_env_checker=True)
    create = env.unwrapped.create_action
    elements: list[Any] = []

    def reset() -> None:
        elements[:] = env.reset()[0]["dom_elements"]

    def scripts() -> Scripts:
        fields = [one for one in elements if one["tag"] in ("input_password", "input_text")]
        corners = [np.concatenate((one["left"], one["top"])).astype(np.float32) + _MARGIN for one in fields]
        clicks = [create(kinds.CLICK_COORDS, coords=corner) for corner in reversed(corners)]
        step(clicks[1])
        return scripts_of(clicks, lambda text: create(kinds.TYPE_TEXT, text=text))

    def step(action: Any) -> np.ndarray:
        observation, _, terminated, _, _ = env.step(action)
        if terminated:
            raise RuntimeError("the time of the episode was over before its steps were")
        return observation["screenshot"]

    return Played(reset, scripts, step, env.close)


def browsergym(task: str, browser: str, **options: Any) -> Played:
    """BrowserGym's MiniWoB, which drives Chromium by Playwright.

    Args:
        task: a page with two text fields.
        browser: the path of Chromium.
        **options: of the environment.
    """
    pages = Path(str(import_module("miniwob").__file__)).parent / "html" / "miniwob"
    os.environ |= {"MINIWOB_URL": f"{pages.as_uri()}/", "PLAYWRIGHT_BROWSERS_PATH": _playwright_browsers(browser)}
    gym.register_envs(import_module("browsergym.miniwob"))
    env: Any = gym.make(f"browsergym/miniwob.{task}", disable_env_checker=True, action_mapping=None, **options)

    def scripts() -> Scripts:
        boxes = [env.unwrapped.page.locator(name).bounding_box() for name in ("#password", "#username")]
        clicks = [f"page.mouse.click({box['x'] + _MARGIN}, {box['y'] + _MARGIN})" for box in boxes]
        step(clicks[1])
        return scripts_of(clicks, lambda text: f"page.keyboard.type({text!r})")

    def step(action: str) -> np.ndarray:
        observation = env.step(action)[0]
        if observation["last_action_error"]:
            raise RuntimeError(observation["last_action_error"])
        return observation["screenshot"]

    return Played(env.reset, scripts, step, env.close)


def _playwright_browsers(path: str) -> str:
    """A folder in which BrowserGym finds Chromium: it opens a second one, for a chat, to which no path can be given."""
    listed = Path(str(import_module("playwright").__file__)).parent / "driver/package/browsers.json"
    browsers = json.loads(listed.read_text(encoding="utf-8"))["browsers"]
    revision = next(one["revision"] for one in browsers if one["name"] == "chromium")
    folder = tempfile.mkdtemp()
    link = Path(folder, f"chromium-{revision}/chrome-linux/chrome")
    link.parent.mkdir(parents=True)
    link.symlink_to(path)
    return folder


PEERS: dict[str, Callable[..., Played]] = {"playwright": playwright, "miniwob": miniwob, "browsergym": browsergym}
