"""Waits in the cells of real kernels: what reaches Python while a cell waits, and what becomes of everything else."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import pytest

from .client import Cell, Kernel

BLOCKING = "probe.wait()"
AWAITING = "await probe.wait_async()"

pytestmark = pytest.mark.kernel

forms = pytest.mark.parametrize("form", [BLOCKING, AWAITING], ids=["blocking", "await"])


@dataclass
class Widgets:
    """The ids of the widgets of `probe.py`."""

    ours: str
    ours_too: str
    other: str
    slider: str


@pytest.fixture(scope="module")
def widgets(kernel: Kernel) -> Widgets:
    cell = kernel.run(
        "import asyncio, threading, time\n"
        "from concurrent.futures import Future\n"
        "from acp_widget.widget import waiting\n"
        "from tests.kernels import probe\n"
        "print(probe.ours.id, probe.ours_too.id, probe.other.id, probe.slider.comm.comm_id)"
    )
    return Widgets(*cell.text.split())


@pytest.fixture(autouse=True)
def fresh(kernel: Kernel, widgets: Widgets) -> None:
    kernel.run("probe.fresh()")


def waiting(kernel: Kernel, code: str) -> Cell:
    """Start a cell, and be here when it waits."""
    return kernel.start(code).until_text("ready")


def interrupted(kernel: Kernel, widgets: Widgets, code: str) -> Cell:
    """Start a cell, interrupt its wait, and be here when the cell is over: it must be within two seconds."""
    cell = waiting(kernel, code)
    answered(kernel, widgets, cell)
    pressed = time.monotonic()
    kernel.interrupt()
    cell.finish()
    assert time.monotonic() - pressed < 2
    return cell


def answered(kernel: Kernel, widgets: Widgets, cell: Cell) -> None:
    """Be here when the wait has handled a click, and so has read everything that was sent before it."""
    kernel.click(widgets.ours_too, {"name": "seen", "print": "seen"})
    cell.until_text("seen")


def order(kernel: Kernel) -> list[Any]:
    return eval(kernel.run("print(probe.order)").text)  # a list of strings that the probe made


DONE = {"name": "answer", "done": True}


# Clicks


@forms
def test_a_click_ends_the_wait_in_the_cell(kernel: Kernel, widgets: Widgets, form: str) -> None:
    cell = waiting(kernel, f"print('got', {form}, 'on', *probe.threads)")
    kernel.click(widgets.ours, DONE)
    assert "got answer on MainThread" in cell.finish().text


@forms
def test_several_clicks_are_handled_in_order(kernel: Kernel, widgets: Widgets, form: str) -> None:
    cell = waiting(kernel, f"{form}; print(probe.order)")
    for number in range(5):
        kernel.click(widgets.ours if number % 2 else widgets.ours_too, {"name": number})
    kernel.click(widgets.ours, DONE)
    assert "[0, 1, 2, 3, 4, 'answer']" in cell.finish().text


def test_a_click_after_the_cell_is_handled_by_the_idle_kernel(kernel: Kernel, widgets: Widgets) -> None:
    kernel.click(widgets.ours, DONE)
    assert order(kernel) == ["answer"]
    assert "answer" in kernel.run("print(probe.wait())").text


@forms
def test_a_future_that_is_done_needs_no_wait(kernel: Kernel, form: str) -> None:
    assert "at once" in kernel.run(f"probe.future.set_result('at once')\nprint({form})").text


@forms
def test_an_error_of_the_future_is_raised_in_the_cell(kernel: Kernel, form: str) -> None:
    cell = waiting(
        kernel,
        f"threading.Timer(0.1, lambda: probe.future.set_exception(LookupError('gone')))"
        f".start()\ntry:\n    {form}\nexcept LookupError as error:\n    print('raised', error)",
    )
    assert "raised gone" in cell.finish().text


@forms
def test_an_error_in_a_handler_does_not_end_the_wait(kernel: Kernel, widgets: Widgets, form: str) -> None:
    cell = waiting(kernel, f"probe.calls['fail'] = lambda: 1 / 0\nprint({form})")
    kernel.click(widgets.ours, {"name": "bad", "call": "fail"})
    kernel.click(widgets.ours, DONE)
    assert "answer" in cell.finish().text


@forms
def test_what_a_handler_prints_appears_below_the_waiting_cell(kernel: Kernel, widgets: Widgets, form: str) -> None:
    cell = waiting(kernel, f"{form}; print('after')")
    click = kernel.click(widgets.ours, {**DONE, "print": "from the handler"})
    assert cell.finish().text.split("\n")[:3] == ["ready", "from the handler", "after"]
    assert click.text == ""


def test_a_blocking_wait_in_an_async_cell_hears_clicks(kernel: Kernel, widgets: Widgets) -> None:
    cell = waiting(kernel, f"await asyncio.sleep(0.01)\nprint('got', {BLOCKING})\nawait asyncio.sleep(0.01)")
    kernel.click(widgets.ours, DONE)
    assert "got answer" in cell.finish().text


# Everything else stays in order


@forms
def test_queued_cells_run_after_the_wait_in_order(kernel: Kernel, widgets: Widgets, form: str) -> None:
    waiting(kernel, f"{form}; probe.order.append('waited')")
    for number in range(4):
        kernel.start(f"probe.order.append({number})")
    kernel.click(widgets.ours, DONE)
    assert order(kernel) == ["answer", "waited", 0, 1, 2, 3]


@forms
def test_a_click_on_somebody_elses_widget_is_handled_after_the_wait(
    kernel: Kernel, widgets: Widgets, form: str
) -> None:
    waiting(kernel, f"{form}; probe.order.append('waited')")
    kernel.click(widgets.other, {"name": "other"})
    kernel.start("probe.order.append('cell')")
    kernel.click(widgets.ours, DONE)
    assert order(kernel) == ["answer", "waited", "other", "cell"]


@forms
def test_a_slider_moved_during_a_wait_works_afterwards(kernel: Kernel, widgets: Widgets, form: str) -> None:
    """ipywidgets sends the next change of a slider only after the idle of the last one."""
    kernel.run("probe.slider.value = 1; probe.fresh()")
    waiting(kernel, f"{form}; probe.order.append('waited')")
    moves = [kernel.move(widgets.slider, value=value) for value in (5, 7)]
    kernel.click(widgets.ours, DONE)
    moves.append(kernel.move(widgets.slider, value=9))
    assert order(kernel) == ["answer", "waited", "slider 5", "slider 7", "slider 9"]
    for move in moves:
        assert move.kinds == ["busy", "comm_msg", "idle"]
    assert [state["value"] for state in kernel.sent_to_front_end(widgets.slider, "echo_update")[-3:]] == [5, 7, 9]


@forms
def test_messages_that_arrive_as_the_wait_ends_are_not_lost(kernel: Kernel, widgets: Widgets, form: str) -> None:
    for round_ in range(10):
        kernel.run("probe.fresh()")
        waiting(kernel, form)
        kernel.click(widgets.ours, DONE)
        expected: list[Any] = ["answer"]
        for number in range(10):
            kernel.click(widgets.other, {"name": number})
            expected.append(number)
        kernel.start("probe.order.append('cell')")
        kernel.click(widgets.ours, {"name": "late"})
        got = order(kernel)
        # Our own click is handled at once when the wait still goes on, and in its turn when it does not.
        assert "late" in got, f"round {round_}"
        assert [name for name in got if name != "late"] == [*expected, "cell"], f"round {round_}"


@forms
def test_messages_kept_by_a_wait_that_times_out_are_not_lost(kernel: Kernel, widgets: Widgets, form: str) -> None:
    limited = form.replace("()", "(0.5)") if form == BLOCKING else f"await asyncio.wait_for({form[6:]}, 0.5)"
    waiting(
        kernel,
        f"try:\n    {limited}\nexcept (TimeoutError, asyncio.TimeoutError) as error:\n    probe.order.append('late')",
    )
    kernel.click(widgets.other, {"name": "other"})
    kernel.start("probe.order.append('cell')")
    assert order(kernel) == ["late", "other", "cell"]
    cell = waiting(kernel, f"print('got', {form})")  # the future goes on, and can be waited for again
    kernel.click(widgets.ours, DONE)
    assert "got answer" in cell.finish().text


def test_a_timeout_says_what_was_waited_for(kernel: Kernel) -> None:
    cell = kernel.start("probe.wait(0.05)").finish()
    assert "TimeoutError: Waited 0.05 seconds for the click" in cell.text


# A page that is reloaded while the cell waits


@forms
def test_a_reloaded_page_gets_its_widgets_during_the_wait(kernel: Kernel, widgets: Widgets, form: str) -> None:
    """It asks what the kernel is and for all widgets, and needs an idle after each answer."""
    cell = waiting(kernel, f"{form}; print('after')")
    about = kernel.request("kernel_info_request", {})
    kernel.until(lambda: about.over, "what the kernel is")
    comms = kernel.request("comm_info_request", {"target_name": "jupyter.widget"})
    kernel.until(lambda: comms.over, "the comms")
    assert comms.reply is not None
    assert widgets.ours in comms.reply["content"]["comms"]

    control = f"control-{form}"
    opened = kernel.request(
        "comm_open",
        {"comm_id": control, "target_name": "jupyter.widget.control", "data": {}},
        {"version": "1.0.0"},
    )
    asked = kernel.comm(control, {"method": "request_states"})
    kernel.until(lambda: "idle" in asked.kinds, "the states")
    states = asked.messages[1]["content"]["data"]
    assert states["method"] == "update_states"
    assert widgets.ours in states["states"]
    assert about.kinds == comms.kinds == opened.kinds == ["busy", "idle"]
    assert asked.kinds == ["busy", "comm_msg", "idle"]
    one_by_one = [kernel.comm(widget, {"method": "request_state"}) for widget in (widgets.ours, widgets.slider)]
    kernel.until(lambda: all("idle" in each.kinds for each in one_by_one), "the state of each widget")
    assert [each.kinds for each in one_by_one] == [["busy", "comm_msg", "idle"]] * 2
    assert one_by_one[1].messages[1]["content"]["data"]["method"] == "update"
    kernel.until(lambda: cell.kinds.count("busy") == 7, "the page is told again that the cell runs")
    assert not cell.over

    kernel.click(widgets.ours, {**DONE, "print": "handler"})
    assert cell.finish().text.split() == ["ready", "handler", "after"]
    assert kernel.run("print('next')").text == "next\n"


# Interrupts


@forms
def test_an_interrupt_ends_the_wait_at_once_and_the_kernel_goes_on(kernel: Kernel, widgets: Widgets, form: str) -> None:
    cell = interrupted(kernel, widgets, form)
    assert cell.status == "error"
    assert ("KeyboardInterrupt" if form == BLOCKING else "CancelledError") in cell.text
    again = waiting(kernel, f"print('got', {form})")
    kernel.click(widgets.ours, DONE)
    assert "got answer" in again.finish().text


def test_an_interrupt_ends_a_blocking_wait_in_an_async_cell(kernel: Kernel, widgets: Widgets) -> None:
    code = f"await asyncio.sleep(0)\ntry:\n    {BLOCKING}\nexcept KeyboardInterrupt:\n    print('stopped')"
    cell = interrupted(kernel, widgets, f"{code}\nawait asyncio.sleep(0.05)\nprint('on')")
    assert "stopped\non" in cell.text


def test_an_interrupt_of_a_wait_in_the_background_does_not_end_the_kernel(kernel: Kernel, widgets: Widgets) -> None:
    kernel.run(
        "async def in_background():\n"
        "    try:\n"
        "        probe.wait()\n"
        "    except asyncio.CancelledError:\n"
        "        probe.order.append('cancelled')\n"
    )
    interrupted(kernel, widgets, "task = asyncio.create_task(in_background())\nawait asyncio.sleep(20)")
    assert order(kernel) == ["seen", "cancelled"]


def test_an_interrupt_ends_a_handler_that_takes_long(kernel: Kernel, widgets: Widgets) -> None:
    cell = waiting(kernel, f"probe.calls['sleep'] = lambda: time.sleep(20)\n{BLOCKING}")
    kernel.click(widgets.ours, {"name": "long", "print": "long", "call": "sleep"})
    cell.until_text("long")
    pressed = time.monotonic()
    kernel.interrupt()
    assert "KeyboardInterrupt" in cell.finish().text
    assert time.monotonic() - pressed < 2


@forms
def test_messages_kept_by_an_interrupted_wait_are_not_lost(kernel: Kernel, widgets: Widgets, form: str) -> None:
    caught = "KeyboardInterrupt" if form == BLOCKING else "asyncio.CancelledError"
    cell = waiting(kernel, f"try:\n    {form}\nexcept {caught}:\n    probe.order.append('stopped')")
    answered(kernel, widgets, cell)
    kernel.click(widgets.other, {"name": "other"})
    kernel.start("probe.order.append('cell')")
    kernel.interrupt()
    cell.finish()
    assert order(kernel) == ["seen", "stopped", "other", "cell"]


@forms
def test_cells_queued_behind_an_interrupted_cell_are_aborted_as_always(
    kernel: Kernel, widgets: Widgets, form: str
) -> None:
    cell = waiting(kernel, form)
    kernel.click(widgets.other, {"name": "other"})
    queued = kernel.start("probe.order.append('cell')")
    answered(kernel, widgets, cell)
    kernel.interrupt()
    cell.finish()
    kernel.until(lambda: queued.reply is not None, "an answer to the queued cell")
    assert queued.status == "aborted"
    assert order(kernel) == ["seen", "other"]


def test_interrupts_in_a_storm_of_messages_lose_none(kernel: Kernel, widgets: Widgets, version: str) -> None:
    """An interrupt in the middle of reading a message must not lose it, or half of it."""
    if version in ("7.1.0", "7.3.0"):
        pytest.skip("ipykernel 7.0 to 7.3 may stop reading for good when a message arrives while they send an answer")
    sent = 0
    for _ in range(5):
        cell = waiting(kernel, f"try:\n    {BLOCKING}\nexcept KeyboardInterrupt:\n    pass")
        for number in range(40):
            kernel.click(widgets.other, {"name": sent})
            sent += 1
            if number == 20:
                answered(kernel, widgets, cell)
                kernel.interrupt()
        cell.finish()
    assert [name for name in order(kernel) if name != "seen"] == list(range(sent))


# More than one wait


def test_two_awaits_at_once(kernel: Kernel, widgets: Widgets) -> None:
    cell = waiting(
        kernel,
        "second = Future()\nprobe.calls['second'] = lambda: second.set_result('two')\n"
        f"print(await asyncio.gather({AWAITING[6:]}, waiting.wait_async(second, lambda: {{probe.other.id}})))",
    )
    kernel.start("probe.order.append('cell')")
    kernel.click(widgets.ours, {"name": "one", "done": True})
    kernel.click(widgets.other, {"name": "two", "call": "second"})
    assert "['one', 'two']" in cell.finish().text
    assert order(kernel) == ["one", "two", "cell"]


def test_a_wait_inside_a_handler(kernel: Kernel, widgets: Widgets) -> None:
    cell = waiting(
        kernel,
        "inner = Future()\nprobe.calls['finish'] = lambda: inner.set_result('inner')\n"
        "probe.calls['wait'] = lambda: probe.order.append(waiting.wait(inner, probe.ids, what='it'))\n"
        f"print({BLOCKING})",
    )
    kernel.click(widgets.other, {"name": "other"})
    kernel.click(widgets.ours, {"name": "outer", "call": "wait"})
    kernel.click(widgets.ours_too, {"name": "finish", "call": "finish"})
    kernel.start("probe.order.append('cell')")
    kernel.click(widgets.ours, DONE)
    cell.finish()
    assert order(kernel) == ["outer", "finish", "inner", "answer", "other", "cell"]


def test_an_await_in_the_background_holds_up_no_cell(kernel: Kernel, widgets: Widgets) -> None:
    kernel.run(f"task = asyncio.create_task({AWAITING[6:]})\nawait asyncio.sleep(0)")
    assert kernel.run("print('runs')").text == "runs\n"
    kernel.move(widgets.slider, value=3)
    kernel.click(widgets.ours, DONE)
    assert "got answer" in kernel.run("print('got', await task)").text


def test_cancelling_one_await_leaves_the_other(kernel: Kernel, widgets: Widgets) -> None:
    kernel.run(f"one, two = (asyncio.create_task({AWAITING[6:]}) for _ in '12')\nawait asyncio.sleep(0)\none.cancel()")
    kernel.click(widgets.ours, DONE)
    assert "answer True" in kernel.run("print(await two, one.cancelled())").text


def test_the_kernel_reads_its_messages_itself_again_afterwards(kernel: Kernel, widgets: Widgets) -> None:
    kernel.run("inbox = waiting._pump_here()._inbox; before = inbox.callback")
    for form in (BLOCKING, AWAITING):
        cell = waiting(kernel, form)
        kernel.click(widgets.ours, DONE)
        cell.finish()
        assert kernel.run("print(inbox.callback is before, waiting._pump_here().active())").text == "True False\n"
        kernel.run("probe.fresh()")


# Threads and loops


def test_a_wait_in_a_plain_thread(kernel: Kernel, widgets: Widgets) -> None:
    kernel.run("thread = threading.Thread(target=lambda: probe.order.append(('thread', probe.wait())))\nthread.start()")
    kernel.click(widgets.ours, DONE)
    kernel.run("thread.join(20)")
    assert order(kernel) == ["answer", ("thread", "answer")]


def test_a_wait_in_a_loop_of_a_plain_thread(kernel: Kernel, widgets: Widgets) -> None:
    kernel.run(
        f"async def inside():\n    probe.order.append(('blocking', {BLOCKING}, {AWAITING}))\n"
        "thread = threading.Thread(target=asyncio.run, args=(inside(),))\nthread.start()"
    )
    kernel.click(widgets.ours, DONE)
    kernel.run("thread.join(20)")
    assert order(kernel) == ["answer", ("blocking", "answer", "answer")]


def test_nothing_patches_asyncio(kernel: Kernel) -> None:
    kernel.run("import nest_asyncio, nest_asyncio2\nprobe.future.set_result(1)\nprobe.wait()")
    assert kernel.run("print(hasattr(asyncio, '_nest_patched'))").text == "False\n"


@forms
def test_clicks_on_a_subshell(kernel: Kernel, widgets: Widgets, version: str, form: str) -> None:
    """JupyterLab sends comm messages on subshells; 7.4 passes them to the main shell, where the widget was made."""
    if version.startswith("6."):
        pytest.skip("ipykernel 6 has no subshells")
    with kernel.subshell() as subshell:
        cell = waiting(kernel, f"print('got', {form})")
        kernel.click(widgets.ours, DONE, subshell=subshell)
        assert "got answer" in cell.finish().text


@forms
def test_a_cell_on_a_subshell_waits_and_the_main_shell_hears_the_click(
    kernel: Kernel, widgets: Widgets, version: str, form: str
) -> None:
    if version.startswith("6."):
        pytest.skip("ipykernel 6 has no subshells")
    with kernel.subshell() as subshell:
        cell = kernel.start(f"print('got', {form})", subshell=subshell).until_text("ready")
        assert kernel.run("print('main shell')").text == "main shell\n"
        kernel.click(widgets.ours, DONE)
        assert "got answer" in cell.finish().text


def test_time_with_a_subshell_counts_where_comm_messages_are_read_on_it(kernel: Kernel, version: str) -> None:
    if version.startswith("6."):
        pytest.skip("ipykernel 6 has no subshells")
    with kernel.subshell():
        cell = kernel.run(
            "start = waiting.readable_seconds()\ntime.sleep(0.3)\nprint(waiting.readable_seconds() - start > 0.25)"
        )
        assert cell.text == f"{version in ('7.1.0', '7.3.0')}\n"


# The clock, and what is said


def test_the_stream_goes_on_after_the_cell(kernel: Kernel, widgets: Widgets) -> None:
    """With no cell running, and after a click."""
    before = len(kernel.sent_to_front_end(widgets.ours))
    kernel.run(
        "go_on = threading.Event()\n"
        "def stream():\n"
        "    for number in range(20):\n"
        "        probe.ours.send({'tick': number})\n"
        "        go_on.wait(20) if number == 9 else time.sleep(0.02)\n"
        "probe.calls['go on'] = go_on.set\n"
        "threading.Thread(target=stream).start()"
    )
    kernel.until(lambda: len(kernel.sent_to_front_end(widgets.ours)) == before + 10, "ten messages with no cell")
    kernel.click(widgets.ours, {"name": "click", "call": "go on"})
    kernel.until(lambda: len(kernel.sent_to_front_end(widgets.ours)) == before + 20, "the rest of the messages")
    assert [m["tick"] for m in kernel.sent_to_front_end(widgets.ours)[before:]] == list(range(20))


@forms
def test_time_counts_as_readable_during_a_wait_and_between_cells_only(
    kernel: Kernel, widgets: Widgets, form: str
) -> None:
    kernel.run("start = waiting.readable_seconds()\ntime.sleep(0.3)\nblocked = waiting.readable_seconds() - start")
    assert kernel.run("print(blocked < 0.05)").text == "True\n"

    cell = waiting(kernel, f"start = waiting.readable_seconds()\n{form}\nheard = waiting.readable_seconds() - start")
    began = time.monotonic()
    kernel.until(lambda: time.monotonic() - began > 0.3, "some time to pass")
    kernel.click(widgets.ours, DONE)
    cell.finish()
    assert kernel.run("print(heard > 0.25)").text == "True\n"

    kernel.run("start = waiting.readable_seconds()")
    began = time.monotonic()
    kernel.until(lambda: time.monotonic() - began > 0.3, "some time to pass")
    assert kernel.run("print(waiting.readable_seconds() - start > 0.25)").text == "True\n"


def test_a_clock_first_read_by_a_thread_of_an_idle_kernel_counts(kernel: Kernel, widgets: Widgets) -> None:
    kernel.run(
        "waiting._forget()\n"
        "def read():\n"
        "    over.wait(20)\n"
        "    while not (seconds := waiting.readable_seconds()):\n"
        "        time.sleep(0.01)\n"
        "    probe.ours.send({'seconds': seconds})\n"
        "over = threading.Event()\n"
        "probe.calls['over'] = over.set\n"
        "threading.Thread(target=read).start()"
    )
    kernel.click(widgets.ours, {"name": "click", "call": "over"})
    kernel.until(lambda: "seconds" in (kernel.sent_to_front_end(widgets.ours) or [{}])[-1], "the clock to run")


def test_without_the_pump_the_wait_works_and_the_cell_says_when_buttons_answer(
    kernel: Kernel, widgets: Widgets
) -> None:
    kernel.run("import os; os.environ['ACP_WIDGET_PUMP'] = '0'")
    try:
        cell = waiting(
            kernel,
            "print(waiting.clicks_arrive(), waiting.why_not())\n"
            f"threading.Timer(0.3, lambda: probe.future.set_result('timer')).start()\nprint({BLOCKING}, probe.order)",
        )
        kernel.click(widgets.ours, {"name": "click"})
        assert "timer []" in cell.finish().text
        assert order(kernel) == ["click"]
        assert "False Buttons answer after this cell ends: ACP_WIDGET_PUMP=0 is set." in cell.text
    finally:
        kernel.run("del os.environ['ACP_WIDGET_PUMP']")


def test_without_the_pump_an_interrupt_still_ends_the_wait_at_once(kernel: Kernel) -> None:
    kernel.run("import os; os.environ['ACP_WIDGET_PUMP'] = '0'")
    try:
        cell = waiting(kernel, f"try:\n    {BLOCKING}\nexcept KeyboardInterrupt:\n    print('stopped')")
        pressed = time.monotonic()
        kernel.interrupt()
        assert "stopped" in cell.finish().text
        assert time.monotonic() - pressed < 2
    finally:
        kernel.run("del os.environ['ACP_WIDGET_PUMP']")


def test_a_kernel_that_fails_the_self_test_gets_a_plain_wait_and_a_reason(kernel: Kernel, widgets: Widgets) -> None:
    kernel.run(
        "from acp_widget.widget import kernel as kernels\n"
        "waiting._forget(); real = kernels.peek; kernels.peek = lambda session, message: ('', {})"
    )
    try:
        cell = waiting(
            kernel,
            "print(waiting.why_not())\n"
            f"threading.Timer(0.2, lambda: probe.future.set_result('timer')).start()\nprint({BLOCKING})",
        )
        assert "timer" in cell.finish().text
        assert "Buttons answer after this cell ends: acp-widget cannot read messages early in this" in cell.text
    finally:
        kernel.run("kernels.peek = real; waiting._forget()")
    assert kernel.run("print(waiting.why_not())").text == "None\n"


def test_a_forked_process_leaves_the_kernels_sockets_alone(kernel: Kernel) -> None:
    cell = kernel.run(
        "import os\nread, write = os.pipe()\nchild = os.fork()\n"
        "if child == 0:\n    os.write(write, str(waiting.in_ipykernel()).encode()); os._exit(0)\n"
        "os.waitpid(child, 0); print(os.read(read, 100).decode(), waiting.in_ipykernel())"
    )
    assert cell.text.splitlines()[-1] == "False True"


# A loop nested in the kernel's. Last: it patches asyncio in the kernel.


@forms
def test_clicks_reach_a_wait_in_a_nested_loop(kernel: Kernel, widgets: Widgets, form: str) -> None:
    cell = waiting(
        kernel,
        "import nest_asyncio2; nest_asyncio2.apply()\n"
        f"async def main():\n    return {form}\nloop = asyncio.new_event_loop(); nest_asyncio2.apply(loop)\n"
        "print('got', loop.run_until_complete(main())); loop.close()",
    )
    kernel.click(widgets.other, {"name": "other"})
    kernel.start("probe.order.append('cell')")
    kernel.click(widgets.ours, DONE)
    assert "got answer" in cell.finish().text
    assert order(kernel) == ["answer", "other", "cell"]
