"""The code of a thread team as LLVM assembly: the caller's part and a helper's.

Each helper has an inbox, one word that changes in single steps only:

    IDLE -> POSTED         the caller has work; a helper that is ASLEEP is woken, too
    POSTED -> RUNNING      the helper takes the job, and gives it back as IDLE
    POSTED -> IDLE         it did not wake in time: the caller has done everything alone
    RUNNING -> AWAITED     the caller has waited a moment and sleeps until the helper is done
    IDLE -> ASLEEP         nothing came for a moment
"""

from __future__ import annotations

SHARE = 4096
"""States that are worth a thread of their own."""
PIECES = 32
"""Pieces of a batch per thread: a core that is busy elsewhere then costs little."""
SPINS = 4000
"""Looks at an inbox before sleeping: about 0.1 ms."""
ARRAYS = 16
"""Arrays of a loop at most."""
JOB, INBOX, APART = 16, 32, 16
"""In the team's words: where the job and the inboxes begin, and the distance of inboxes."""


class InboxState:
    """The states of an inbox."""

    IDLE, POSTED, RUNNING, ASLEEP, AWAITED = range(5)


def _word(base: str, index: int | str) -> str:
    return f"getelementptr i64, ptr {base}, i64 {index}"


def _look(inbox: str, wanted: int, rest: str, before: str, if_there: str, if_not: str) -> str:
    """Block `look`, entered from `before`: watch the inbox a moment, then to one of the labels."""
    return f"""look:
  %spin = phi i64 [ 0, %{before} ], [ %spin2, %wait ]
  %now = load atomic i64, ptr {inbox} seq_cst, align 8
  %there = icmp eq i64 %now, {wanted}
  br i1 %there, label %{if_there}, label %again_or_not
again_or_not:
  %patient = icmp slt i64 %spin, {SPINS}
  br i1 %patient, label %wait, label %{if_not}
wait:
  call void {rest}
  %spin2 = add i64 %spin, 1
  br label %look"""


def thread_team_text(triple: str) -> str:
    """The module as LLVM assembly for a machine.

    erfd_share(args, dims, steps, data, loop, n): NumPy's inner loop, shared; n arrays
    erfd_help(team, inbox): the endless loop of a helper

    `team` points to the words of the team; its address is word 2 of data: 0 busy, 1 helpers; from
    JOB on the next piece, and after a cache line the job; from INBOX on for each helper its inbox
    and two locks.
    """
    s = InboxState
    fields = ["total", "piece", "args", "steps", "data", "loop", "n"]
    kinds = {"total": "i64", "piece": "i64", "n": "i64"}
    places = "\n".join(f"  %p_{f} = {_word('%team', JOB + 8 + k)}" for k, f in enumerate(fields))
    reads = "\n".join(f"  %{f} = load {kinds.get(f, 'ptr')}, ptr %p_{f}, align 8" for f in fields)
    writes = "\n".join(f"  store {kinds.get(f, 'ptr')} %{f}, ptr %p_{f}, align 8" for f in fields)
    x86 = triple.startswith(("x86", "i686"))
    rest = "@llvm.x86.sse2.pause()" if x86 else "@llvm.aarch64.hint(i32 1)"
    return f"""
declare i32 @PyThread_acquire_lock(ptr, i32)
declare void @PyThread_release_lock(ptr)
declare void {rest.replace(" 1", "")}

define internal void @take(ptr %team) {{
entry:
  %next = {_word("%team", JOB)}
{places}
{reads}
  %mine = alloca [{ARRAYS} x ptr], align 16
  %count = alloca i64, align 8
  br label %test
test:
  %first = atomicrmw add ptr %next, i64 %piece seq_cst
  %more = icmp slt i64 %first, %total
  br i1 %more, label %cut, label %end
cut:
  %left = sub i64 %total, %first
  %short = icmp slt i64 %left, %piece
  %here = select i1 %short, i64 %left, i64 %piece
  store i64 %here, ptr %count, align 8
  br label %shift
shift:
  %k = phi i64 [ 0, %cut ], [ %k2, %shift ]
  %p_arg = getelementptr ptr, ptr %args, i64 %k
  %arg = load ptr, ptr %p_arg, align 8
  %p_step = {_word("%steps", "%k")}
  %step = load i64, ptr %p_step, align 8
  %far = mul i64 %first, %step
  %moved = getelementptr i8, ptr %arg, i64 %far
  %p_mine = getelementptr ptr, ptr %mine, i64 %k
  store ptr %moved, ptr %p_mine, align 8
  %k2 = add i64 %k, 1
  %again = icmp slt i64 %k2, %n
  br i1 %again, label %shift, label %do
do:
  call void %loop(ptr %mine, ptr %count, ptr %steps, ptr %data)
  br label %test
end:
  ret void
}}

define void @erfd_share(ptr %args, ptr %dims, ptr %steps, ptr %data, ptr %loop, i64 %n) {{
entry:
  %p_team = {_word("%data", 2)}
  %team = load ptr, ptr %p_team, align 8
  %total = load i64, ptr %dims, align 8
  %taken = cmpxchg ptr %team, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue {{ i64, i1 }} %taken, 1
  br i1 %mine, label %job, label %alone
alone:
  call void %loop(ptr %args, ptr %dims, ptr %steps, ptr %data)
  ret void
job:
  %p_helpers = {_word("%team", 1)}
  %most = load i64, ptr %p_helpers, align 8
  %worth = sdiv i64 %total, {SHARE}
  %others = sub i64 %worth, 1
  %few = icmp slt i64 %others, %most
  %helpers = select i1 %few, i64 %others, i64 %most
  %some = icmp sgt i64 %helpers, 0
  br i1 %some, label %fill, label %none
none:
  store atomic i64 0, ptr %team seq_cst, align 8
  br label %alone
fill:
  %threads = add i64 %helpers, 1
  %pieces = mul i64 %threads, {PIECES}
  %even = sdiv i64 %total, %pieces
  %plus = add i64 %even, 64
  %piece = and i64 %plus, -64
{places}
{writes}
  %next = {_word("%team", JOB)}
  store atomic i64 0, ptr %next seq_cst, align 8
  br label %post
post:
  %k = phi i64 [ 0, %fill ], [ %k2, %posted ]
  %at = mul i64 %k, {APART}
  %place = add i64 %at, {INBOX}
  %inbox = {_word("%team", "%place")}
  %before = atomicrmw xchg ptr %inbox, i64 {s.POSTED} seq_cst
  %slept = icmp eq i64 %before, {s.ASLEEP}
  br i1 %slept, label %wake, label %posted
wake:
  %p_start = {_word("%inbox", 1)}
  %start = load ptr, ptr %p_start, align 8
  call void @PyThread_release_lock(ptr %start)
  br label %posted
posted:
  %k2 = add i64 %k, 1
  %again = icmp slt i64 %k2, %helpers
  br i1 %again, label %post, label %work
work:
  call void @take(ptr %team)
  br label %join
join:
  %j = phi i64 [ 0, %work ], [ %j2, %joined ]
  %jat = mul i64 %j, {APART}
  %jplace = add i64 %jat, {INBOX}
  %jbox = {_word("%team", "%jplace")}
  %back = cmpxchg ptr %jbox, i64 {s.POSTED}, i64 {s.IDLE} seq_cst seq_cst
  %never = extractvalue {{ i64, i1 }} %back, 1
  br i1 %never, label %joined, label %look
{_look("%jbox", s.IDLE, rest, "join", "joined", "await")}
await:
  %asked = cmpxchg ptr %jbox, i64 {s.RUNNING}, i64 {s.AWAITED} seq_cst seq_cst
  %runs = extractvalue {{ i64, i1 }} %asked, 1
  br i1 %runs, label %sleep, label %joined
sleep:
  %p_done = {_word("%jbox", 2)}
  %done = load ptr, ptr %p_done, align 8
  %got = call i32 @PyThread_acquire_lock(ptr %done, i32 1)
  br label %joined
joined:
  %j2 = add i64 %j, 1
  %others_left = icmp slt i64 %j2, %helpers
  br i1 %others_left, label %join, label %end
end:
  store atomic i64 0, ptr %team seq_cst, align 8
  ret void
}}

define void @erfd_help(ptr %team, ptr %inbox) {{
entry:
  br label %idle
idle:
  br label %look
{_look("%inbox", s.POSTED, rest, "idle", "claim", "doze")}
doze:
  %nothing = cmpxchg ptr %inbox, i64 {s.IDLE}, i64 {s.ASLEEP} seq_cst seq_cst
  %still = extractvalue {{ i64, i1 }} %nothing, 1
  br i1 %still, label %sleep, label %claim
sleep:
  %p_start = {_word("%inbox", 1)}
  %start = load ptr, ptr %p_start, align 8
  %got = call i32 @PyThread_acquire_lock(ptr %start, i32 1)
  br label %idle
claim:
  %taken = cmpxchg ptr %inbox, i64 {s.POSTED}, i64 {s.RUNNING} seq_cst seq_cst
  %mine = extractvalue {{ i64, i1 }} %taken, 1
  br i1 %mine, label %work, label %idle
work:
  call void @take(ptr %team)
  %before = atomicrmw xchg ptr %inbox, i64 {s.IDLE} seq_cst
  %awaited = icmp eq i64 %before, {s.AWAITED}
  br i1 %awaited, label %tell, label %idle
tell:
  %p_done = {_word("%inbox", 2)}
  %done = load ptr, ptr %p_done, align 8
  call void @PyThread_release_lock(ptr %done)
  br label %idle
}}
"""


def shared_loop(name: str, alone: str, arrays: int) -> str:
    """NumPy's inner loop `name`: the loop `alone`, with other threads if it is worth it."""
    assert arrays <= ARRAYS, arrays
    arguments = "ptr %args, ptr %dims, ptr %steps, ptr %data"
    return f"""define void @{name}({arguments}) #0 {{
entry:
  %total = load i64, ptr %dims, align 8
  %place = {_word("%data", 1)}
  %share = load ptr, ptr %place, align 8
  %ready = icmp ne ptr %share, null
  %large = icmp sge i64 %total, {2 * SHARE}
  %both = and i1 %ready, %large
  br i1 %both, label %shared, label %here
shared:
  call void %share({arguments}, ptr @{alone}, i64 {arrays})
  ret void
here:
  call void @{alone}({arguments})
  ret void
}}"""
