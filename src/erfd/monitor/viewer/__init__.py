"""The viewer's side of a stream: connection, frames, clock, the last samples."""
