"""Drive files: motors and gears by joint, from data sheets, for any robot (docs/drives.md)."""
