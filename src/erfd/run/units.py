"""The units of the quantities of a run."""

UNITS = {
    "t": "s", "q": "rad", "qd": "rad/s", "qdd": "rad/s2", "q_given": "rad", "qd_given": "rad/s",
    "qdd_given": "rad/s2", "u": "N m", "u_inertial": "N m", "u_coriolis": "N m", "u_gravity": "N m",
    "u_external": "N m", "u_friction": "N m", "q_a": "rad", "qd_a": "rad/s", "qdd_a": "rad/s2",
    "q_a_given": "rad", "qd_a_given": "rad/s", "qdd_a_given": "rad/s2", "u_a": "N m",
    "u_a_wanted": "N m", "u_a_max": "N m", "saturated": "", "clipped": "", "stalled": "",
    "ua_links": "N m", "ua_rotor": "N m", "ua_coriolis": "N m", "ua_gravity": "N m",
    "ua_external": "N m", "ua_load_friction": "N m", "ua_viscous": "N m", "force": "N",
    "moment": "N m", "pose": "m", "deviation": "m, rad", "power": "W", "energy": "J",
    "load": "g", "wrench": "N, N m", "payload": "kg, kg m, kg m2",
    "u_stop": "N m", "ua_stop": "N m", "voltage": "V", "current": "A", "kinetic": "J",
    "potential": "J", "work_motors": "J", "work_external": "J", "lost_friction": "J",
    "lost_stops": "J", "energy_gap": "J",
}  # fmt: skip
"""The unit of every quantity (of a revolute joint), by name."""
