"""Names that generated code must not have, because they are taken.

They mean something to C, C++, Python or the generated test: a function called `fmax` or a file
called `random.py` would compile nowhere or hide another.
"""

from __future__ import annotations

import builtins
import keyword
import math
import sys

WORDS = """
    asm auto bool case catch char class const default delete do double enum explicit extern false
    float friend goto inline int linux long main mutable namespace new operator private protected
    public register restrict short signed sizeof static struct switch template this throw true
    typedef typename typeof union unix unsigned using virtual void volatile wchar_t numpy np
"""
OWN = """
    larger difference differ tolerance worst wrong most failed rounds parameters state cycle i k a b
    found wanted count
"""
PORTS = """
    q qd qdd u h c force moment frames pose jacobian kinetic potential wrench payload
    q_given qd_given qdd_wanted side clipped torque torque_wanted torque_max
"""
MATH = """
    abs fdim fmax fmin fma fpclassify ilogb isgreater isgreaterequal isless islessequal
    islessgreater isnormal isunordered j0 j1 jn labs llabs llrint llround logb lrint lround nan
    nearbyint nexttoward rint round scalbln scalbn signbit y0 y1 yn
"""
LIBRARY = """
    BUFSIZ EOF FILE HUGE_VAL HUGE_VALF HUGE_VALL INFINITY NAN NULL fpos_t ptrdiff_t size_t
    stderr stdin stdout clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fputc fputs
    fread freopen fseek fsetpos ftell fwrite getc getchar gets perror putc putchar puts remove
    rename rewind setbuf setvbuf tmpfile tmpnam ungetc printf fprintf sprintf snprintf vprintf
    vfprintf vsprintf vsnprintf scanf fscanf sscanf vscanf vfscanf vsscanf
    abort atexit atof atoi atol calloc div exit free getenv malloc qsort rand realloc srand strtod
    memchr memcmp memcpy memmove memset strcat strchr strcmp strcpy strlen strncmp strncpy strstr
    isalnum isalpha isdigit islower isspace isupper tolower toupper
"""
_MATH = {*MATH.split(), *(name for name in dir(math) if name.isalnum())}
TAKEN = {
    *WORDS.split(),
    *OWN.split(),
    *PORTS.split(),
    *(f"{table}_{port}" for table in ("in", "want") for port in PORTS.split()),
    *_MATH,
    *(f"{name}{kind}" for name in _MATH for kind in "fl"),  # for float and long double
    *LIBRARY.split(),
    *keyword.kwlist,
    *dir(builtins),
    *sys.stdlib_module_names,
}
"""What C, C++, Python, their libraries or the generated files mean something else by."""
