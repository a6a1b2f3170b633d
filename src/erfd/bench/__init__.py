"""How fast is it? ERFD and its peers side by side, in one run, on this machine."""
