"""Open a robot: bring its files, choose base and tip, see it, attach drives, keep it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui

from ...errors import ErfdError
from ..jobs.reading import unpacked
from ..robots.unpack import place_of
from ..server.safety import safe_name
from ..workspace import Workspace
from .drive_form import DriveForm
from .parts import named_upload

ENDS = ("tool0", "tcp", "ee_link", "flange", "hand", "tool", "gripper")
"""Parts of names that ends of arms have, the likeliest first."""
BAR = (
    "position: sticky; bottom: -16px; background: inherit; display: flex; gap: 12px;"
    " align-items: center; justify-content: space-between; padding: 8px 0; z-index: 2"
)
"""What was done or is wrong stays in sight, however far the form is scrolled."""
FOLDERS = r"""
(() => {
  const field = getElement(%(id)d).$refs.qRef;
  const root = getHtmlElement(%(id)d);
  const named = (file, path) => new File([file], path.replaceAll("/", "\u29f8"));
  const add = files => field.addFiles(files);
  const walk = async (entry, path, found) => {
    if (found.length > 1000) return;
    if (entry.isFile) {
      const file = await new Promise((done, fail) => entry.file(done, fail));
      found.push(named(file, path + file.name));
    } else {
      const reader = entry.createReader();
      for (;;) {
        const part = await new Promise((done, fail) => reader.readEntries(done, fail));
        if (!part.length) break;
        for (const inner of part) await walk(inner, path + entry.name + "/", found);
      }
    }
  };
  root.addEventListener("drop", async event => {
    const entries = [...event.dataTransfer.items].map(item => item.webkitGetAsEntry());
    if (!entries.some(entry => entry && entry.isDirectory)) return;
    event.preventDefault();
    event.stopPropagation();
    const found = [];
    for (const entry of entries) if (entry) await walk(entry, "", found);
    add(found);
  }, true);
  const chooser = document.createElement("input");
  chooser.type = "file";
  chooser.webkitdirectory = true;
  chooser.className = "studio-folder";
  chooser.style.display = "none";
  chooser.addEventListener("change", () => {
    add([...chooser.files].map(file => named(file, file.webkitRelativePath || file.name)));
    chooser.value = "";
  });
  root.after(chooser);
})()
"""
"""Folders that are dropped or chosen: their files go up together, under their names inside it."""


class OpenRobot:
    """The dialog; `changed` is called when another robot is shown, or kept."""

    def __init__(self, workspace: Workspace):
        self.workspace, self.words = workspace, workspace.words
        self.folder: Path | None = None
        self.files: list[dict[str, Any]] = []
        self.count = 0
        with (
            ui.dialog() as self.dialog,
            ui.card().classes("studio-open").style("width: 720px; max-width: 95vw"),
        ):
            self._build()

    def open(self) -> None:
        """Show the dialog."""
        self.dialog.open()

    def _build(self) -> None:
        words = self.words
        ui.label(words("open_robot")).classes("group")
        ui.label(words("open_robot_how")).classes("hint")
        field = self.workspace.upload("robot_files", label=words("open_robot_drop"), multiple=True)
        field.props("batch flat bordered").mark("upload-robot-files")
        named_upload(field, words("open_robot_drop"))
        field.on_multi_upload(self.workspace.upload_handler(self._take))
        folder = ui.button(words("open_robot_folder"), icon="folder_open")
        folder.props("no-caps flat dense").mark("robot-folder")
        folder.on("click", js_handler="() => document.querySelector('.studio-folder').click()")
        self.dialog.on("show", lambda: ui.run_javascript(FOLDERS % {"id": field.id}), [])
        self.form = ui.element("div").classes("studio-fields")
        with self.form:
            self.file = ui.select([], label=words("robot_file")).mark("robot-file")
            self.base = ui.select([], label=words("robot_base"), with_input=True).mark("robot-base")
            self.tip = ui.select([], label=words("robot_tip"), with_input=True).mark("robot-tip")
            for choice in (self.file, self.base, self.tip):
                choice.props("dense outlined options-dense")
            ui.label(words("robot_chain_why")).classes("hint")
            show = ui.button(words("robot_show"), on_click=self._show)
            show.props("no-caps unelevated color=primary").mark("robot-show")
        self.form.set_visibility(False)
        self.file.on_value_change(self._pick_file)
        self.rest = ui.element("div").classes("studio-fields")
        with self.rest:
            self.drives = DriveForm(self.workspace, self._attach)
            ui.separator()
            self.name = ui.input(words("robot_name")).props("dense outlined").mark("robot-name")
            keep = ui.button(words("robot_keep"), on_click=self._keep)
            keep.props("no-caps outline color=primary").mark("robot-keep")
        self.rest.set_visibility(False)
        with ui.element("div").style(BAR):
            self.said = ui.label().classes("grow").props('role="status"').mark("robot-said")
            close = ui.button(words("close"), on_click=self.dialog.close)
            close.props("no-caps flat").mark("robot-close")

    async def _take(self, event: Any) -> None:
        """Take the files that were dropped together, and look what there is."""
        event.sender.reset()
        session = self.workspace.session
        self.count += 1
        folder = session.folder / f"brought-{self.count}"
        try:
            folder.mkdir(exist_ok=True)
            for file in event.files:
                zipped = str(file.name).lower().endswith(".zip")
                place = folder / f"{safe_name(Path(file.name).stem)}.zip" if zipped else None
                place = place or place_of(str(file.name), folder)
                if place is not None:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    await file.save(place)
            found = await self.workspace.read("look_robot", folder=str(folder))
        except (ErfdError, OSError) as error:
            self._say(error)
            return
        self.folder, self.files = folder, found["files"]
        names = [file["path"] for file in self.files]
        self.file.set_options(names, value=names[0])
        self.file.set_visibility(len(names) > 1)
        self._pick_file()
        self.form.set_visibility(True)
        self.rest.set_visibility(False)
        self.said.set_text(self.words("robot_found", count=len(names), name=names[0]))
        if len(names) == 1 and len(self._chosen["ends"]) <= 1:  # there is nothing to choose
            await self._show()

    @property
    def _chosen(self) -> dict[str, Any]:
        """The file that is chosen."""
        return next(file for file in self.files if file["path"] == self.file.value)

    def _pick_file(self) -> None:
        """Offer the links of the chosen file."""
        if not self.files or not self.file.value:
            return
        links, ends = self._chosen["links"], self._chosen["ends"]
        choices = {"": self.words("robot_by_itself")} | {name: name for name in links}
        likely = [end for part in ENDS for end in ends if part in end.lower()]
        self.base.set_options(choices, value="")
        tip = (likely or ends)[0] if len(ends) > 1 else ""
        self.tip.set_options(choices, value=tip)
        for choice in (self.base, self.tip):
            choice.set_visibility(bool(links))

    async def _show(self) -> None:
        """Make the arm and show it."""
        self.drives.clear()
        await self._make("")

    async def _attach(self, text: str) -> None:
        """Make the arm with the drives of the form."""
        if await self._make(text):
            self.said.set_text(self.words("drives_attached"))

    async def _make(self, drives: str) -> bool:
        """Read the arm in a worker and show it; whether that went well."""
        if self.folder is None:
            return False
        session = self.workspace.session
        target = session.folder / f"{safe_name(Path(str(self.file.value)).stem)}.toml"
        try:
            made = await self.workspace.read(
                "make_robot", folder=str(self.folder), path=self.file.value, target=str(target),
                base=self.base.value or "", tip=self.tip.value or "", drives=drives,
            )  # fmt: skip
            session.put_model(target, unpacked(made["model"]))
            session.robot_file, session.setup.robot = target, target.name
            session.forget()
            session.robot  # noqa: B018  # with its cell
        except (ErfdError, OSError) as error:
            self._say(error)
            return False
        self.workspace.leave_run()
        self.workspace.leave_set_up(example_only=True)
        self.workspace.tell("setup")
        self.workspace.tell("robot")
        said = [self.words("robot_shown", name=made["name"], count=len(made["joints"]))]
        self.said.set_text(" · ".join([*said, *map(self.words.said, made["notes"])]))
        self.drives.fill(made["joints"])
        self.name.set_value(self.name.value or made["name"])
        self.rest.set_visibility(True)
        return True

    def _keep(self) -> None:
        """Keep the robot in the user's library."""
        workspace, session = self.workspace, self.workspace.session
        try:
            robot = session.model_of(session.robot_file) if session.robot_file else None
            if robot is None:
                return
            name = str(self.name.value or robot.name)
            file = workspace.studio.library.keep(robot, name)
        except (ErfdError, OSError) as error:
            self._say(error)
            return
        session.put_model(file, robot)
        session.robot_file, session.setup.robot = file, file.parent.name
        session.forget()
        workspace.tell("setup")
        self.said.set_text(self.words("robot_kept", name=file.parent.name))

    def _say(self, error: Exception) -> None:
        """Say what is wrong, in the dialog."""
        text = self.workspace.studio.without_paths(self.workspace.session, str(error))
        self.said.set_text(self.words.said(text))
