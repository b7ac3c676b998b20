"""The window of ``formgym play``: the page to click on, and the tools."""

from __future__ import annotations

import tkinter
from functools import partial
from tkinter import ttk
from typing import Any

from gymnasium import spaces
from PIL import Image, ImageTk

from ...envs.core.tools import Call, Tool, coordinate
from .session import RESULT_COLUMNS, Session

_PANEL = 420
"""Width of the panel beside the page, in pixels."""
_ZOOMS = (0.25, 0.33, 0.5, 0.67, 0.8, 1.0, 1.25, 1.5, 2.0)
_COLOURS = {"✓": "#e3f4e3", "✗": "#fbe3e0"}


def call_at(tool: Tool, point: tuple[float, float] | None, typed: dict[str, str]) -> Call:
    """The call of a tool.

    Args:
        tool: what is called.
        point: where on the page, in fractions of it, for tools that take x and y.
        typed: its other arguments as text.
    """
    call: Call = {"tool": tool.name}
    for name, argument in tool.arguments.items():
        if point is not None and name in ("x", "y"):
            call[name] = round(coordinate(argument.space, point[name == "y"]), 4)
        elif isinstance(argument.space, spaces.Discrete):
            call[name] = int(typed[name]) if typed[name].strip().lstrip("-").isdecimal() else typed[name]
        else:
            call[name] = typed[name]
    return call


def takes_point(tool: Tool) -> bool:
    """Whether a tool is used by clicking on the page."""
    return {"x", "y"} <= set(tool.arguments)


class PlayWindow:
    """A window for one session; ``run`` shows it until it is closed.

    Args:
        session: the attempt.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.root = tkinter.Tk()
        self.root.title(f"{session.env_id} – {session.task_id}")
        ttk.Style(self.root).theme_use("clam")
        self._tools = {tool.name: tool for tool in session.tools.tools}
        self._typed: dict[str, tkinter.StringVar] = {}
        self._chosen = tkinter.StringVar(self.root, session.tools.names[0])
        self._feedback, self._standing, self._pointed, self._zoomed = (tkinter.StringVar(self.root) for _ in range(4))
        self._build_panel()
        self._build_page()
        self.zoom = self._fitting_zoom()
        self.show()

    def run(self) -> None:
        """Show the window until it is closed."""
        self.root.mainloop()

    def show(self) -> None:
        """Bring everything up to date with the session."""
        page = Image.fromarray(self.session.page())
        size = (round(page.width * self.zoom), round(page.height * self.zoom))
        self._photo = ImageTk.PhotoImage(page.resize(size, Image.Resampling.LANCZOS), master=self.root)
        self.canvas.itemconfigure(self._picture, image=self._photo)
        self.canvas.configure(scrollregion=(0, 0, *size))
        self._zoomed.set(f"{self.zoom:.0%}")
        self._feedback.set(self.session.feedback or "Choose a tool, type what it needs, and click on the page.")
        self._standing.set(self.session.standing)
        if self.session.ended and not self.results.get_children():
            self._show_results()

    def act(self, tool: Tool, point: tuple[float, float] | None = None) -> None:
        """Use a tool, at a point of the page (fractions) if it takes one."""
        if self.session.ended:
            return
        self.session.do(call_at(tool, point, {name: variable.get() for name, variable in self._typed.items()}))
        self.show()

    def choose(self, tool: str) -> None:
        """Select the tool that a click uses."""
        self._chosen.set(tool)
        self._choose()

    def type(self, argument: str, text: str) -> None:
        """Type ``text`` for an argument of the chosen tool."""
        self._typed[argument].set(text)

    # -- The page ------------------------------------------------------------------------------------------------------

    def _build_page(self) -> None:
        frame = ttk.Frame(self.root)
        frame.pack(side="left", fill="both", expand=True)
        bar = ttk.Frame(frame)
        bar.pack(fill="x", padx=6, pady=4)
        for label, by in (("−", -1), ("+", 1)):
            ttk.Button(bar, text=label, width=3, command=partial(self.zoom_by, by)).pack(side="left", padx=2)
        ttk.Label(bar, textvariable=self._zoomed).pack(side="left", padx=6)
        ttk.Label(bar, textvariable=self._pointed).pack(side="right", padx=6)
        inner = ttk.Frame(frame)
        inner.pack(fill="both", expand=True)
        self.canvas = tkinter.Canvas(inner, background="#777777", highlightthickness=0, cursor="crosshair")
        down = ttk.Scrollbar(inner, orient="vertical", command=self.canvas.yview)
        across = ttk.Scrollbar(inner, orient="horizontal", command=self.canvas.xview)
        self.canvas.configure(yscrollcommand=down.set, xscrollcommand=across.set)
        down.pack(side="right", fill="y")
        across.pack(side="bottom", fill="x")
        self.canvas.pack(side="left", fill="both", expand=True)
        self._picture = self.canvas.create_image(0, 0, anchor="nw")
        self._bind_mouse()

    def _bind_mouse(self) -> None:
        self.canvas.bind("<Button-1>", self._clicked)
        self.canvas.bind("<Motion>", self._moved)
        # X11 has two buttons for the wheel, other systems an event.
        self.canvas.bind("<Button-4>", lambda _: self.canvas.yview_scroll(-3, "units"))
        self.canvas.bind("<Button-5>", lambda _: self.canvas.yview_scroll(3, "units"))
        self.canvas.bind("<MouseWheel>", lambda event: self.canvas.yview_scroll(-1 if event.delta > 0 else 1, "units"))

    def _fitting_zoom(self) -> float:
        """The largest zoom at which the page fits the screen; sets the window's size."""
        wide, high = self.root.winfo_screenwidth(), self.root.winfo_screenheight()
        page_high, page_wide = self.session.page().shape[:2]
        room = wide - _PANEL - 80
        zoom = max((z for z in _ZOOMS if z <= 1 and z * page_wide <= room), default=_ZOOMS[0])
        width = min(round(zoom * page_wide) + _PANEL + 50, wide)
        self.root.geometry(f"{width}x{min(round(zoom * page_high) + 70, high - 90)}")
        return zoom

    def zoom_by(self, steps: int) -> None:
        """Show the page larger, or smaller."""
        index = min(max(_ZOOMS.index(self.zoom) + steps, 0), len(_ZOOMS) - 1)
        self.zoom = _ZOOMS[index]
        self.show()

    def _point(self, event: Any) -> tuple[float, float] | None:
        """Where on the page the mouse is, in fractions of it; ``None`` beside it."""
        x = self.canvas.canvasx(event.x) / self._photo.width()
        y = self.canvas.canvasy(event.y) / self._photo.height()
        return (x, y) if 0 <= x <= 1 and 0 <= y <= 1 else None

    def _moved(self, event: Any) -> None:
        point = self._point(event)
        self._pointed.set(f"x {point[0]:.3f}   y {point[1]:.3f}" if point else "")

    def _clicked(self, event: Any) -> None:
        tool, point = self._tools[self._chosen.get()], self._point(event)
        if point is not None and takes_point(tool):
            self.act(tool, point)

    # -- The panel -----------------------------------------------------------------------------------------------------

    def _build_panel(self) -> None:
        self._panel = panel = ttk.Frame(self.root, padding=10, width=_PANEL)
        panel.pack(side="right", fill="y")
        panel.pack_propagate(False)
        ttk.Label(panel, text=self.session.env.state.goal, wraplength=_PANEL - 30).pack(fill="x", pady=(0, 8))
        # Packed from below, so that a low window takes from the source text and not from the tools.
        self._build_hand_in(panel)
        self._build_tools(panel)
        self._build_tabs(panel)

    def _build_tabs(self, panel: ttk.Frame) -> None:
        self.tabs = ttk.Notebook(panel)
        self.tabs.pack(fill="both", expand=True)
        source = ttk.Frame(self.tabs)
        text = tkinter.Text(source, wrap="word", relief="flat", padx=6, pady=6, width=10, height=5, spacing3=3)
        text.configure(font="TkDefaultFont")
        bar = ttk.Scrollbar(source, command=text.yview)
        text.configure(yscrollcommand=bar.set)
        bar.pack(side="right", fill="y")
        text.pack(side="left", fill="both", expand=True)
        text.insert("1.0", self.session.env.state.source)
        text.configure(state="disabled")
        self.tabs.add(source, text="Source")
        self.results = ttk.Treeview(self.tabs, columns=RESULT_COLUMNS, show="headings")
        for column, width in zip(RESULT_COLUMNS, (150, 100, 100, 50), strict=True):
            self.results.heading(column, text=column)
            self.results.column(column, width=width, stretch=column != "right")

    def _build_tools(self, panel: ttk.Frame) -> None:
        self._toolbox = ttk.LabelFrame(panel, text="Tool", padding=8)
        self._toolbox.pack(side="bottom", fill="x", pady=8)
        choices = ttk.Frame(self._toolbox)
        choices.pack(fill="x")
        choices.columnconfigure((0, 1), weight=1)
        for i, name in enumerate(name for name, tool in self._tools.items() if tool.arguments):
            button = ttk.Radiobutton(choices, text=name, value=name, variable=self._chosen, command=self._choose)
            button.grid(row=i // 2, column=i % 2, sticky="w")
        self._about = ttk.Label(self._toolbox, wraplength=_PANEL - 50, foreground="#555555")
        self._about.pack(fill="x", pady=4)
        self._form = ttk.Frame(self._toolbox)
        self._form.pack(fill="x")
        self._choose()

    def _choose(self) -> None:
        """Display the description of the chosen tool, and entries for its arguments."""
        tool = self._tools[self._chosen.get()]
        self._about.configure(text=" ".join(tool.description.split()))
        for old in self._form.winfo_children():
            old.destroy()
        for name in (n for n in tool.arguments if not (takes_point(tool) and n in ("x", "y"))):
            # What was typed is kept: the same text is often used again.
            variable = self._typed.setdefault(name, tkinter.StringVar(self.root))
            ttk.Label(self._form, text=name).pack(anchor="w")
            entry = ttk.Entry(self._form, textvariable=variable)
            entry.pack(fill="x")
            entry.focus_set()
            entry.bind("<Return>", lambda _: self._entered(tool))
        if not takes_point(tool):
            ttk.Button(self._form, text="Do it", command=partial(self.act, tool)).pack(anchor="e", pady=4)

    def _entered(self, tool: Tool) -> None:
        if takes_point(tool):
            self._feedback.set("Now click on the page, where its centre should be.")
        else:
            self.act(tool)

    def _build_hand_in(self, panel: ttk.Frame) -> None:
        """At the bottom: tools without arguments as buttons, the feedback, the metrics."""
        for variable, colour in ((self._standing, "#555555"), (self._feedback, "black")):
            label = ttk.Label(panel, textvariable=variable, wraplength=_PANEL - 30, foreground=colour)
            label.pack(side="bottom", fill="x", pady=(6, 0))
        self.buttons: dict[str, ttk.Button] = {}
        for tool in (t for t in self._tools.values() if not t.arguments):
            # A web form is handed in by a button of its own.
            handing_in = "End the task" if "submitted" in self.session.metrics else "Hand in"
            text = handing_in if tool.name == "terminate" else tool.name
            self.buttons[tool.name] = ttk.Button(panel, text=text, command=partial(self.act, tool))
            self.buttons[tool.name].pack(side="bottom", fill="x")

    def _show_results(self) -> None:
        """Display the fields with an answer or an entry in place of the tools."""
        for mark, colour in _COLOURS.items():
            self.results.tag_configure(mark, background=colour)
        for row in self.session.results:
            self.results.insert("", "end", values=row, tags=row[-1:])
        self.tabs.add(self.results, text="Result")
        self.tabs.select(self.results)  # type: ignore[no-untyped-call]
        self._toolbox.pack_forget()
        self._panel.configure(width=_PANEL * 3 // 2)
        for button in self.buttons.values():
            button.pack_forget()
