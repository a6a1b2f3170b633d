"""The text of the program in C around the generated cycle, and of its CMake file."""

LOADS = {
    "wrench": "  double wrench[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}; /* on the environment */\n",
    "payload": "  double payload[10] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};\n",
}
"""What the options for loads are kept in."""
WRENCH_OPTION = """\
    if (strcmp(words[i], "--wrench") == 0) {
      i = read_numbers(words, count, i, 6, wrench);
      continue;
    }
"""
PAYLOAD_OPTION = """\
    if (strcmp(words[i], "--payload") == 0) {
      double mass_and_center[4];
      const double inertia[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}; /* a point */
      i = read_numbers(words, count, i, 4, mass_and_center);
      if (!(mass_and_center[0] >= 0.0))
        fail("--payload: expected a mass of 0 or more");
      ${prefix}_payload(mass_and_center[0], mass_and_center + 1, inertia, payload);
      continue;
    }
"""
READER = r"""/* The option at words[i] takes so many numbers; the place of the last one. */
static int read_numbers(char **words, int count, int i, int wanted, double *values)
{
  int k;

  for (k = 1; k <= wanted; k++)
    if (i + k >= count || !read_number(words[i + k], &values[k - 1])) {
      fprintf(stderr, "achievable: %s: expected %d finite numbers\n", words[i], wanted);
      exit(2);
    }
  return i + wanted;
}

"""
"""Reads the numbers of an option, if there is one."""
PROGRAM = r"""/* What the motors of $title make of a trajectory (Algorithm 1).
 *
 *   achievable MOTION.csv [RESULT.csv]$usage
 *
 * MOTION.csv: t (s), q1..q$n (rad, m) and, if wanted, qd1..qd$n, at a fixed step; with a header in
 * any order, without one in this order; lines that begin with # are passed over. RESULT.csv, or
 * the terminal, gets the achieved motion, a row for every time. It ends with 0 if the motors can
 * do the motion, with 1 if they cannot, with 2 if the input is wrong.
 *
 * C99 that is C++17, too: cc -std=c99 -O2 main.c $name.c -lm -o achievable
 */
#include "$name.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N $n
#define LONGEST_LINE 65536
#define MOST_COLUMNS 4096

static char line[LONGEST_LINE];
static char *cells[MOST_COLUMNS];

static void fail(const char *sentence)
{
  fprintf(stderr, "achievable: %s\n", sentence);
  exit(2);
}

static void fail_at(const char *path, long number, const char *sentence)
{
  fprintf(stderr, "achievable: %s: line %ld: %s\n", path, number, sentence);
  exit(2);
}

/* A cell is a finite number with blanks around it, or it is none. */
static int read_number(const char *text, double *value)
{
  char *end;

  *value = strtod(text, &end);
  if (end == text)
    return 0;
  while (*end == ' ' || *end == '\t' || *end == '"')
    end++;
  return *end == '\0' && isfinite(*value);
}

$reader/* Cut the line at its commas; blanks and quotes at the beginning of a cell go. */
static int cut(const char *path, long number)
{
  int count = 0;
  char *c = line;

  line[strcspn(line, "\r\n")] = '\0';
  for (;;) {
    if (count == MOST_COLUMNS)
      fail_at(path, number, "too many columns");
    while (*c == ' ' || *c == '\t' || *c == '"')
      c++;
    cells[count++] = c;
    c = strchr(c, ',');
    if (c == NULL)
      return count;
    *c++ = '\0';
  }
}

/* Where a column of the header is; -1 if it is not there. */
static int place_of(const char *name, int count)
{
  int k;
  size_t i, length = strlen(name);

  for (k = 0; k < count; k++) {
    for (i = 0; i < length; i++) {
      char c = cells[k][i];
      if (c >= 'A' && c <= 'Z')
        c = (char)(c - 'A' + 'a');
      if (c != name[i])
        break;
    }
    if (i == length && cells[k][length + strspn(cells[k] + length, " \t\"")] == '\0')
      return k;
  }
  return -1;
}

/* The places of t, q1.., qd1..; returns whether there are velocities. */
static int read_header(const char *path, long number, int count, int *places)
{
  char name[32];
  int k, rates = 0;

  for (k = 0; k <= 2 * N; k++) {
    if (k == 0)
      sprintf(name, "t");
    else
      sprintf(name, "%s%d", k <= N ? "q" : "qd", k <= N ? k : k - N);
    places[k] = place_of(name, count);
    if (places[k] < 0 && k <= N)
      fail_at(path, number, "expected columns t and q1..q$n");
    rates += k > N && places[k] >= 0;
  }
  if (rates != 0 && rates != N)
    fail_at(path, number, "expected all of qd1..qd$n, or none");
  return rates == N;
}

/* Read all rows: t, q (N a row), qd (N a row); returns how many. */
static long read_motion(const char *path, double **rows, int *rates)
{
  FILE *file = fopen(path, "r");
  int places[2 * N + 1], k, count, known = 0;
  long number = 0, length = 0, room = 0;
  double value;

  if (file == NULL) {
    fprintf(stderr, "achievable: %s: cannot be read: %s\n", path, strerror(errno));
    exit(2);
  }
  *rows = NULL;
  while (fgets(line, LONGEST_LINE, file) != NULL) {
    const char *start = line + strspn(line, " \t\r\n,");
    number++;
    if (strlen(line) == LONGEST_LINE - 1)
      fail_at(path, number, "too long");
    if (*start == '\0' || *start == '#')
      continue;
    count = cut(path, number);
    if (!known) {
      known = 1;
      for (k = 0; k < count; k++)
        if (!read_number(cells[k], &value))
          known = 2;
      if (known == 2) {
        *rates = read_header(path, number, count, places);
        continue;
      }
      if (count != N + 1 && count != 2 * N + 1)
        fail_at(path, number, "expected t and q1..q$n, or these and qd1..qd$n");
      *rates = count > N + 1;
      for (k = 0; k <= 2 * N; k++)
        places[k] = k;
    }
    if (length == room) {
      room = room ? 2 * room : 1024;
      *rows = (double *)realloc(*rows, (size_t)room * (2 * N + 1) * sizeof(double));
      if (*rows == NULL)
        fail("no memory is left");
    }
    for (k = 0; k <= (*rates ? 2 * N : N); k++)
      if (places[k] >= count
          || !read_number(cells[places[k]], *rows + length * (2 * N + 1) + k))
        fail_at(path, number, "expected a finite number in every column");
    length++;
  }
  fclose(file);
  if (length < 2) {
    fprintf(stderr, "achievable: %s: expected at least two rows of numbers\n", path);
    exit(2);
  }
  return length;
}

/* Check the step, and derive the velocities or check them; the step. */
static double complete(double *rows, long length, int rates)
{
  const int width = 2 * N + 1;
  const double dt = (rows[(length - 1) * width] - rows[0]) / (double)(length - 1);
  double largest = 1.0, derived;
  long k;
  int i;

  if (!(dt > 0.0))
    fail("expected rising times");
  for (k = 1; k < length; k++)
    if (fabs(rows[k * width] - rows[(k - 1) * width] - dt) > 1e-6 * dt)
      fail("expected times with a fixed step");
  for (k = 1; k < length; k++)
    for (i = 1; i <= N; i++)
      largest = fmax(largest, fabs(rows[k * width + i] - rows[(k - 1) * width + i]) / dt);
  for (i = 1; i <= N && !rates; i++)
    rows[N + i] = 0.0; /* from rest */
  for (k = 1; k < length; k++)
    for (i = 1; i <= N; i++) {
      derived = (rows[k * width + i] - rows[(k - 1) * width + i]) / dt;
      if (!rates)
        rows[k * width + N + i] = derived;
      else if (fabs(rows[k * width + N + i] - derived) > 1e-9 * largest + 1e-12 / dt)
        fail("qd: expected (q[k] - q[k-1]) / dt");
    }
  return dt;
}

static void write_header(FILE *file)
{
  static const char *const names[] = {"q", "qd", "qdd", "u_a", "u_a_wanted", "u_a_max",
      "saturated", "clipped"};
  int i, k;

  fprintf(file, "t");
  for (k = 0; k < 8; k++)
    for (i = 1; i <= N; i++)
      fprintf(file, ",%s%d", names[k], i);
  fprintf(file, "\n");
}

static void write_row(FILE *file, double t, const ${prefix}_state *state,
    const ${prefix}_cycle *cycle)
{
  int i;

  fprintf(file, "%.17g", t);
  for (i = 0; i < N; i++) fprintf(file, ",%.17g", state->q[i]);
  for (i = 0; i < N; i++) fprintf(file, ",%.17g", state->qd[i]);
  for (i = 0; i < N; i++) fprintf(file, ",%.17g", cycle->qdd[i]);
  for (i = 0; i < N; i++) fprintf(file, ",%.17g", cycle->torque[i]);
  for (i = 0; i < N; i++) fprintf(file, ",%.17g", cycle->torque_wanted[i]);
  for (i = 0; i < N; i++) fprintf(file, ",%.17g", cycle->torque_max[i]);
  for (i = 0; i < N; i++) fprintf(file, ",%d", cycle->side[i]);
  for (i = 0; i < N; i++) fprintf(file, ",%d", cycle->clipped[i]);
  fprintf(file, "\n");
}

int main(int count, char **words)
{
  const int width = 2 * N + 1;
  const char *input = NULL, *output = NULL;
  char *part = NULL;
  double *rows, *row;
  int i, rates = 0, rounds = 0, tight, bent, written;
  long k, length, full = 0, changed = 0;
  FILE *file = stdout;
  ${prefix}_parameters parameters;
  ${prefix}_state state;
  ${prefix}_cycle cycle;
$declared
  for (i = 1; i < count; i++) {
$choices    if (words[i][0] == '-' && words[i][1] == '-') {
      fprintf(stderr, "achievable: %s: expected no such option\n", words[i]);
      return 2;
    }
    if (input == NULL)
      input = words[i];
    else if (output == NULL)
      output = words[i];
    else
      fail("expected MOTION.csv [RESULT.csv]$usage");
  }
  if (input == NULL)
    fail("expected MOTION.csv [RESULT.csv]$usage");
  length = read_motion(input, &rows, &rates);
  ${prefix}_parameters_init(&parameters);
  parameters.dt = complete(rows, length, rates);
  if (output != NULL) { /* written beside its place, and renamed */
    part = (char *)malloc(strlen(output) + 6);
    if (part == NULL)
      fail("no memory is left");
    sprintf(part, "%s.part", output);
    file = fopen(part, "w");
    if (file == NULL) {
      fprintf(stderr, "achievable: %s: cannot be written: %s\n", output, strerror(errno));
      return 2;
    }
  }
  memset(&cycle, 0, sizeof cycle);
  for (i = 0; i < N; i++) {
    state.q[i] = rows[1 + i];
    state.qd[i] = state.qd_given[i] = rows[1 + N + i];
  }
  write_header(file);
  write_row(file, rows[0], &state, &cycle);
  for (k = 1; k < length; k++) {
    row = rows + k * width;
    rounds = $name(&state, row + 1, row + 1 + N,$arguments &parameters, &cycle);
    if (rounds < 0)
      break;
    for (i = 0, tight = 0, bent = 0; i < N; i++) {
      tight = tight || cycle.side[i] != 0;
      bent = bent || cycle.clipped[i] != 0;
    }
    full += tight;
    changed += bent;
    write_row(file, row[0], &state, &cycle);
  }
  written = fflush(file) == 0 && !ferror(file);
  if (part != NULL) {
    written = fclose(file) == 0 && written;
    if (written) {
      remove(output); /* where rename does not write over a file */
      written = rename(part, output) == 0;
    }
    if (!written)
      remove(part);
    free(part);
  }
  free(rows);
  if (!written)
    fail("the result cannot be written");
  if (rounds == ${upper}_RUN_AWAY) {
    fprintf(stderr, "achievable: the arm runs away in cycle %ld\n", k);
    return 1;
  }
  if (rounds < 0) {
    fprintf(stderr, "achievable: cycle %ld is refused (%d)\n", k, rounds);
    return 2;
  }
  fprintf(stderr, "a motor at its limit in %ld of %ld cycles, the motion bent in %ld\n", full,
      length - 1, changed);
  return full || changed ? 1 : 0;
}
"""
BUILD = """\
# cmake -B build && cmake --build build && ctest --test-dir build
cmake_minimum_required(VERSION 3.10)
project($name C)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_executable(achievable main.c $name.c)
add_executable(self_test ${name}_test.c $name.c)
if(UNIX)
  target_link_libraries(achievable m)
  target_link_libraries(self_test m)
endif()
enable_testing()
add_test(NAME self_test COMMAND self_test)
"""
