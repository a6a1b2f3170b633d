"""The studio: write, verify, watch and compare robot programs in the browser (`erfd studio`)."""
