"""Robots, limits and pictures of studies in Serbian: nothing of the catalogue stays English."""

import numpy as np
import pytest

import erfd
from erfd.report.wording.texts import Words, translated
from erfd.robot.library import robots
from erfd.studies.evaluator import labels_of, load_limits
from erfd.studies.pictures import bars, histogram

study = pytest.importorskip("erfd.studio.panels.study")


@pytest.mark.parametrize("name", robots())
def test_titles_and_limits_of_every_robot_are_said(name):
    robot = erfd.load(name)
    assert translated(robot.title, "sr") not in (None, robot.title)
    for label in labels_of(robot, load_limits(robot))[1:]:
        assert translated(label, "sr") not in (None, label), label


def test_the_texts_of_pictures_are_said():
    words = Words("sr")
    said = study.in_words(words, bars(["motor 3: torque", "a <b> & c"], [0.4, 0.1], "", ""))
    assert "motor 3: moment" in said
    assert "a &lt;b&gt; &amp; c" in said  # what nobody knows stays as it was
    assert ">varijante</text>" in study.in_words(words, histogram(np.arange(5.0), "", ""))
