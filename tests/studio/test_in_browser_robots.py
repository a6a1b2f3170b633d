"""A robot of the user's in a real browser: brought, chosen, seen, driven, kept, found again."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.studio_browser import Server, chromium, needed, studio, tabs
from support.urdf_files import ARM, SMALL

pytestmark = needed
PORT = 8461
CUBE = """v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0.1 0.1 0\nv -0.1 0.1 0\nv 0 0 0.4
f 1 3 2\nf 1 4 3\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"""
MESHED = SMALL.read_text().replace(
    '<geometry><box size="0.1 0.1 0.4"/></geometry>',
    '<geometry><mesh filename="package://arm/meshes/upper.obj"/></geometry>'
    '<material name="o"><color rgba="1 0.4 0 1"/></material>',
)


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    with studio(tmp_path_factory.mktemp("studio"), PORT) as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def open_tab(browser, server):
    with tabs(browser, server.url) as make:
        yield make


def said(tab, text: str) -> None:
    status = tab.page.locator(".studio-open [role=status]")
    tab.until(lambda: text in status.inner_text(), f"{text!r} is not said: {status.inner_text()!r}")


def dialog(tab):
    tab.tab("Robot & cell")
    tab.page.get_by_role("button", name="Open a robot").click()
    tab.page.wait_for_selector(".studio-open input[type=file]", state="attached")
    return tab.page.locator(".studio-open")


def test_a_zip_with_meshes_is_seen_driven_and_kept(open_tab, tmp_path: Path, server) -> None:
    archive = tmp_path / "arm.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("arm/urdf/arm.urdf", MESHED)
        zipped.writestr("arm/meshes/upper.obj", CUBE)
    tab = open_tab().ready()
    box = dialog(tab)
    tab.page.locator(".studio-open .q-uploader input[type=file]").set_input_files(archive)
    said(tab, "two_joints, axes: 2")
    box.get_by_text("Motors and gears").click()
    box.get_by_label("Torque constant Kt", exact=True).fill("40.4 mNm/A")
    box.get_by_label("Rotor inertia", exact=True).fill("181 gcm")
    box.get_by_role("button", name="Attach them").click()
    said(tab, "rotor_inertia: expected a number, or text with one of kgm2")
    box.get_by_label("Rotor inertia", exact=True).fill("181 gcm2")
    box.get_by_label("Ratio", exact=True).fill("100")
    box.get_by_role("button", name="Attach them").click()
    said(tab, "The drives are attached.")
    tab.picture("studio-open-robot")
    box.get_by_label("Name in my library").fill("my arm")
    box.get_by_role("button", name="Keep it in my library").click()
    said(tab, "my arm is kept beside the bundled robots")
    box.get_by_role("button", name="Close").click()
    assert (server.folder / "erfd" / "robots" / "my arm" / "robot.toml").is_file()
    from support.studio_browser import orange

    tab.until(lambda: orange(tab.pixels()).mean() > 0.002, "the mesh is not drawn")
    tab.picture("studio-own-robot")

    other = open_tab().ready()
    other.tab("Robot & cell")
    other.choose("Robot", "my arm")
    other.until(
        lambda: (
            "axes: 2" in other.page.locator(".studio-fields").first.inner_text()
            or "2" in other.page.locator(".studio-fields .hint").first.inner_text()
        ),
        "the robot of the library is not shown",
    )


def test_base_and_tip_are_chosen_and_strange_files_are_a_sentence(open_tab, tmp_path) -> None:
    tab = open_tab().ready()
    box = dialog(tab)
    files = tab.page.locator(".studio-open .q-uploader input[type=file]")
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(bad, "w") as zipped:
        zipped.writestr("../../evil.urdf", "x")
    files.set_input_files(bad)
    said(tab, "expected files inside the folder of the robot, found '../../evil.urdf'")
    (tmp_path / "note.yaml").write_text("a: 1")
    files.set_input_files(tmp_path / "note.yaml")
    said(tab, "expected a robot file (.toml, .urdf, .xacro or MJCF .xml), found none")
    files.set_input_files(ARM)
    said(tab, "robot files: 1; gripper_arm.urdf")
    assert box.get_by_label("Tip: the link that carries the tool").input_value() == "tool0"
    box.get_by_role("button", name="Show it").click()
    said(tab, "gripper_arm, axes: ")


def test_a_folder_keeps_its_folders(open_tab, tmp_path: Path) -> None:
    """Chosen by the button; the meshes of two folders have one name."""
    folder = tmp_path / "arm"
    for part in ("urdf", "visual", "collision"):
        (folder / part).mkdir(parents=True)
    text = MESHED.replace("meshes/upper.obj", "visual/upper.obj")
    (folder / "urdf" / "arm.urdf").write_text(text)
    (folder / "visual" / "upper.obj").write_text(CUBE)
    (folder / "collision" / "upper.obj").write_text(CUBE.replace("0.4", "0.9"))
    tab = open_tab().ready()
    dialog(tab)
    tab.page.wait_for_selector(".studio-folder", state="attached")
    tab.page.locator(".studio-folder").set_input_files(folder)
    said(tab, "two_joints, axes: 2")
    assert "skipped" not in tab.page.locator(".studio-open [role=status]").inner_text()


def test_a_robot_of_the_command_line(browser, tmp_path: Path) -> None:
    """It is shown, with its drives, and the program is an empty one."""
    drives = tmp_path / "arm.drives.toml"
    drives.write_text('[[drive]]\njoint = "elbow"\nratio = 50\n')
    words = ["--port", str(PORT + 1), "--robot", str(SMALL), "--drives", str(drives)]
    server = Server(tmp_path, *words)
    with tabs(browser, server.url) as make:
        tab = make().ready()
        tab.tab("Robot & cell")
        form = tab.page.locator(".studio-fields").first
        tab.until(lambda: "two_joints · 2 joints" in form.inner_text(), form.inner_text())
        tab.tab("Program")
        assert "seq" in tab.page.locator(".cm-content").inner_text()
    assert "Traceback" not in server.stop()
