// The one clock of the page: scene, timeline, diagrams and editor listen to it.

import { Clock } from "erfd-shared";

window.erfdClock ??= new Clock();
export const clock = window.erfdClock;
