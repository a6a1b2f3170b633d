"""LLVM assembly as text: writer, sine and cosine, functions, loops, threads."""
