"""Calls a Runwright service: every operation, events that resume by seq, and waiting for a run to end."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import random
import re
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import Any, Literal, cast

import httpx

from . import types as t
from ._calls import AsyncCalls, Calls, quote_id

TERMINAL_EVENTS = {"run.worker.succeeded", "run.worker.failed", "run.cancelled", "run.limit_exceeded"}
TERMINAL_STATUSES = {"succeeded", "failed", "cancelled"}
_TRANSIENT = {429, 500, 502, 503, 504}
_MAX_RETRIES = 5
# As long as the service has never answered: the address may be wrong.
_FIRST_RETRIES = 3
_DEFAULT_URL = "http://127.0.0.1:8080"
_LONGEST_RETRY_AFTER = 60.0


class RunwrightError(Exception):
    """The service answered with an error, or did not answer."""

    def __init__(self, message: str, *, status: int | None = None, reason_code: str | None = None,
                 request_id: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.reason_code = reason_code
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def is_transient(self) -> bool:
        return self.status is None or self.status in _TRANSIENT


def _object(value: Any) -> dict[str, Any]:
    """What is not an object has no fields."""
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _error_of(response: httpx.Response) -> RunwrightError:
    try:
        body = _object(response.json())
    except ValueError:
        body = {}
    after = response.headers.get("retry-after", "")
    return RunwrightError(
        str(body.get("message") or f"The service answered {response.status_code}."),
        status=response.status_code,
        reason_code=body.get("reason_code"),
        request_id=body.get("request_id"),
        retry_after=float(after) if after.isdigit() else None,
    )


class _Reach:
    """Where the service is, whether it has ever answered, and how often a request is repeated."""

    def __init__(self, base_url: str, max_retries: int | None) -> None:
        self.base_url = base_url
        self.max_retries = max_retries
        self.has_answered = False

    def heard(self, response: httpx.Response) -> None:
        self.has_answered = True

    async def heard_async(self, response: httpx.Response) -> None:
        self.has_answered = True

    def no_answer(self, error: Exception) -> RunwrightError:
        why = str(error) or type(error).__name__
        hint = "" if self.has_answered else ". Check the address, and that the service is running"
        return RunwrightError(f"No response from {self.base_url}: {why}{hint}")

    def delay(self, error: RunwrightError, attempt: int) -> float | None:
        """The seconds before the next attempt, or None to give up."""
        after = error.retry_after or 0.0
        if not error.is_transient or attempt >= self._retries() or after > _LONGEST_RETRY_AFTER:
            return None
        return max(min(10.0, 0.2 * float(2**attempt) * (1 + random.random() / 4)), after)

    def _retries(self) -> int:
        if self.max_retries is not None:
            return self.max_retries
        return _MAX_RETRIES if self.has_answered else _FIRST_RETRIES


class _Request:
    """One call. Every POST has an idempotency key, so that it can be repeated."""

    def __init__(self, method: str, path: str, query: dict[str, Any] | None, body: Any, key: str | None) -> None:
        self.options: dict[str, Any] = {"method": method, "url": path}
        if method == "POST":
            self.options["headers"] = {"idempotency-key": key or str(uuid.uuid4())}
        if query:
            self.options["params"] = {name: _text(value) for name, value in query.items() if value is not None}
        if body is not None:
            self.options["json"] = _with_metadata(body, path)


def _with_metadata(body: dict[str, Any], path: str) -> dict[str, Any]:
    """The service requires the metadata of a run. Without any, it is empty."""
    if path == "/v1/runs":
        return {"metadata": {}, **body}
    if path.startswith("/v1/schedules") and "run" in body:
        return {**body, "run": {"metadata": {}, **body["run"]}}
    return body


def _result(response: httpx.Response) -> Any:
    """The answer. A run also has its `output`, which the wire has as `event_payload.value.output`."""
    body: Any = response.json() if response.content else None
    run = _object(body)
    if "event_payload" in run:
        run["output"] = _object(_object(run["event_payload"]).get("value")).get("output")
    return body


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, cast(list[Any], value))) if isinstance(value, (list, tuple)) else str(value)


class _Messages:
    """Reads the lines of an event stream, over as many connections as it takes."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.failures = 0
        self._clear()

    def _clear(self) -> None:
        self._name, self._id, self._data = "", "", list[str]()

    def take(self, line: str) -> tuple[str, str, Any] | None:
        """The name, the id and the data of the message that this line completes."""
        field, _, value = line.rstrip("\r\n").partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "id":
            self._id = value
        elif field == "data":
            self._data.append(value)
        elif field == "" and not value:
            return self._end()
        return None

    def _end(self) -> tuple[str, str, Any] | None:
        name, id, data = self._name, self._id, "\n".join(self._data)
        self._clear()
        if not data:
            return None
        body = json.loads(data)
        if name == "error":
            raise RunwrightError(body.get("message", "The stream ended with an error."), status=503,
                                 reason_code=body.get("reason_code"), request_id=body.get("request_id"))
        self.failures = 0
        return name, id, body

    def restart(self, cursor: str | None) -> dict[str, Any]:
        self._clear()
        return {"method": "GET", "url": self.path, "params": {} if cursor is None else {"cursor": cursor},
                "headers": {"accept": "text/event-stream"}}

    def pause(self, error: RunwrightError | None, reach: _Reach) -> float:
        """The seconds before the next connection. Raises the error if it is permanent."""
        if error is None:
            return 0.2
        delay = reach.delay(error, self.failures)
        if delay is None:
            raise error
        self.failures += 1
        return delay


class _RunEvents(_Messages):
    """The events of a run. `seq` is the last event that was delivered."""

    def __init__(self, run_id: str, after: int) -> None:
        super().__init__(f"/v1/runs/{quote_id(run_id)}/events/stream")
        self.seq = after

    def connect(self) -> dict[str, Any]:
        return self.restart(str(self.seq))

    def read(self, line: str) -> t.Event | None:
        """The event that this line completes. An event that was delivered before is dropped."""
        message = self.take(line)
        if message is None or message[0] != "run_event" or message[2]["seq"] <= self.seq:
            return None
        self.seq = message[2]["seq"]
        return cast(t.Event, message[2])


class _AllEvents(_Messages):
    """The events of all runs. `cursor` is where to continue."""

    def __init__(self, cursor: str | None) -> None:
        super().__init__("/v1/events/stream")
        self.cursor = cursor

    def connect(self) -> dict[str, Any]:
        return self.restart(self.cursor)

    def read(self, line: str) -> tuple[str, t.CustomerEvent] | None:
        """The event that this line completes, with its cursor."""
        message = self.take(line)
        if message is None:
            return None
        name, id, body = message
        self.cursor = id or self.cursor
        return (self.cursor or "", cast(t.CustomerEvent, body)) if name == "run_event" else None


def _checked_url(base_url: str | None) -> str:
    url = base_url or os.environ.get("RUNWRIGHT_URL") or _DEFAULT_URL
    if not re.match(r"https?://[^/]", url):
        raise ValueError(f"base_url must be an HTTP URL such as {_DEFAULT_URL}, but is {url!r}.")
    return url.rstrip("/")


def _checked_key(api_key: str | None) -> str:
    """The message never has the key: it is a secret."""
    key = api_key or os.environ.get("RUNWRIGHT_API_KEY")
    if not key:
        raise ValueError("No API key: set api_key or the environment variable RUNWRIGHT_API_KEY to <key_id>:<secret>.")
    if not re.fullmatch(r"[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+", key):
        raise ValueError("api_key must be an API key, <key_id>:<secret>, as it was printed when it was created.")
    return key


def _checked_number(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:  # pyright: ignore
        raise ValueError(f"{name} must be a number that is not negative, but is {value!r}.")
    return value


Token = str | Callable[[], str]
AsyncToken = Token | Callable[[], Awaitable[str]]


class _TokenAuth(httpx.Auth):
    """Sends a token, and gets another one when the service no longer accepts it."""

    def __init__(self, token: AsyncToken) -> None:
        self._get = token
        self._current = token if isinstance(token, str) else ""

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        used = self._current or self._renew()
        response = yield self._with(request, used)
        # A request that is not authenticated has no effect, so it can be sent again.
        if response.status_code == 401 and not isinstance(self._get, str):
            yield self._with(request, self._current if self._current != used else self._renew())

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        used = self._current or await self._renew_async()
        response = yield self._with(request, used)
        if response.status_code == 401 and not isinstance(self._get, str):
            yield self._with(request, self._current if self._current != used else await self._renew_async())

    @staticmethod
    def _with(request: httpx.Request, token: str) -> httpx.Request:
        request.headers["authorization"] = f"Bearer {token}"
        return request

    def _renew(self) -> str:
        self._current = cast(Callable[[], str], self._get)()
        return self._current

    async def _renew_async(self) -> str:
        got = cast(Callable[[], Any], self._get)()
        self._current = cast(str, await got if inspect.isawaitable(got) else got)
        return self._current


def _credential(api_key: str | None, token: AsyncToken | None) -> dict[str, Any]:
    if token is None:
        return {"headers": {"authorization": f"Bearer {_checked_key(api_key)}"}}
    if api_key is not None:
        raise ValueError("Set api_key or token, not both.")
    if isinstance(token, str) and not re.fullmatch(r"tok_[\w.-]+", token, re.ASCII):
        raise ValueError("token must be a token that tokens.create returned, or a function that returns one.")
    return {"auth": _TokenAuth(token)}


def _client_options(base_url: str, api_key: str | None, token: AsyncToken | None, timeout: float) -> dict[str, Any]:
    timeout = _checked_number("timeout", timeout)
    # A stream is silent for 15 s at most: then a comment arrives.
    return {"base_url": base_url, **_credential(api_key, token),
            "timeout": httpx.Timeout(timeout, read=max(timeout, 45.0))}


def _reach(base_url: str | None, max_retries: int | None) -> _Reach:
    if max_retries is not None:
        _checked_number("max_retries", max_retries)
    return _Reach(_checked_url(base_url), max_retries)


Action = Literal["approve", "reject", "submit_input"]


class _Unset:
    """None is a payload, too."""


_UNSET = _Unset()


def _signal(action: Action, payload: Any, await_seq: int | None, call: t.AnsweredCall | None,
            calls: list[t.DecidedCall] | None) -> t.Signal:
    body: t.Signal = {"action": action}
    if not isinstance(payload, _Unset):
        body["payload"] = payload
    if await_seq is not None:
        body["await_seq"] = await_seq
    if call is not None:
        body["call"] = call
    if calls is not None:
        body["calls"] = calls
    return body


class Runwright(Calls):
    """A client for synchronous code. Use it in a `with` block, or close it."""

    def __init__(self, base_url: str | None = None, api_key: str | None = None, *, token: Token | None = None,
                 timeout: float = 30.0, max_retries: int | None = None,
                 transport: httpx.BaseTransport | None = None) -> None:
        """Left out, the address is RUNWRIGHT_URL or http://127.0.0.1:8080, and the key RUNWRIGHT_API_KEY.

        Instead of a key: a token, or a function that gets one. It is called again when the token has ended.
        """
        self._reach = _reach(base_url, max_retries)
        self._http = httpx.Client(**_client_options(self._reach.base_url, api_key, token, timeout), transport=transport,
                                  event_hooks={"response": [self._reach.heard]})

    def __enter__(self) -> Runwright:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _call(self, method: str, path: str, *, query: dict[str, Any] | None = None, body: Any = None,
              key: str | None = None) -> Any:
        request = _Request(method, path, query, body, key)
        attempt = 0
        while True:
            try:
                response = self._http.request(**request.options)
                if response.is_success:
                    return _result(response)
                error = _error_of(response)
            except httpx.TransportError as lost:
                error = self._reach.no_answer(lost)
            delay = self._reach.delay(error, attempt)
            if delay is None:
                raise error
            attempt += 1
            time.sleep(delay)

    def events(self, id: str, *, after: int = 0) -> Iterator[t.Event]:
        """All events of a run after this seq, until it has ended. A lost connection resumes without gap or repeat."""
        events = _RunEvents(id, after)
        while True:
            error = None
            try:
                with self._http.stream(**events.connect()) as response:
                    if not response.is_success:
                        response.read()
                        raise _error_of(response)
                    for line in response.iter_lines():
                        event = events.read(line)
                        if event:
                            yield event
                        # A failed run may have been retried: then more events follow.
                        if event and event["type"] in TERMINAL_EVENTS and self._is_caught_up(id, events.seq):
                            return
            except httpx.TransportError as lost:
                error = self._reach.no_answer(lost)
            except RunwrightError as refused:
                error = refused
            if error is None and self.get_run(id)["status"] in TERMINAL_STATUSES and self._is_caught_up(id, events.seq):
                return
            time.sleep(events.pause(error, self._reach))

    def _is_caught_up(self, id: str, seq: int) -> bool:
        return not self.poll_events(id, cursor=seq, limit=1)["events"]

    def stream_all(self, *, cursor: str | None = None) -> Iterator[tuple[str, t.CustomerEvent]]:
        """The events of all runs, each with the cursor after it; left out, from now on. It never ends by itself."""
        events = _AllEvents(cursor)
        while True:
            error = None
            try:
                with self._http.stream(**events.connect()) as response:
                    if not response.is_success:
                        response.read()
                        raise _error_of(response)
                    for line in response.iter_lines():
                        event = events.read(line)
                        if event:
                            yield event
            except httpx.TransportError as lost:
                error = self._reach.no_answer(lost)
            except RunwrightError as refused:
                error = refused
            time.sleep(events.pause(error, self._reach))

    def wait(self, id: str) -> t.RunDetail:
        """Returns the run when it has ended, with its `output`."""
        for _ in self.events(id):
            pass
        return self.get_run(id)

    def steps(self, id: str) -> list[t.RunStep]:
        """What became of each step of a run, in the order of the plan. `task_id` is the one of the events."""
        return self.get_run(id, include=["steps"]).get("steps") or []

    def signal(self, id: str, action: Action, *, payload: Any = _UNSET, await_seq: int | None = None,
               call: t.AnsweredCall | None = None, calls: list[t.DecidedCall] | None = None,
               idempotency_key: str | None = None) -> t.SignalResult:
        """Answers a run that awaits input. `await_seq` is the seq of the event that asks.

        With "submit_input", `call` decides about the call that the run asks about: {"deny": reason},
        {"arguments": {…}}, {"result": …}, or, if it is not known how the call ended, {"error": message}. `calls`
        decides about several, each with its `call_id` and one of these or {"approve": True}. Leave out `payload` with
        both, unless the question has an `approval_schema`.
        """
        return self.signal_run(id, _signal(action, payload, await_seq, call, calls), idempotency_key=idempotency_key)


class AsyncRunwright(AsyncCalls):
    """A client for asyncio. Use it in an `async with` block, or close it."""

    def __init__(self, base_url: str | None = None, api_key: str | None = None, *, token: AsyncToken | None = None,
                 timeout: float = 30.0, max_retries: int | None = None,
                 transport: httpx.AsyncBaseTransport | None = None) -> None:
        """Left out, the address is RUNWRIGHT_URL or http://127.0.0.1:8080, and the key RUNWRIGHT_API_KEY.

        Instead of a key: a token, or a function that gets one. It is called again when the token has ended.
        """
        self._reach = _reach(base_url, max_retries)
        self._http = httpx.AsyncClient(**_client_options(self._reach.base_url, api_key, token, timeout),
                                       transport=transport,
                                       event_hooks={"response": [self._reach.heard_async]})

    async def __aenter__(self) -> AsyncRunwright:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def _call(self, method: str, path: str, *, query: dict[str, Any] | None = None, body: Any = None,
                    key: str | None = None) -> Any:
        request = _Request(method, path, query, body, key)
        attempt = 0
        while True:
            try:
                response = await self._http.request(**request.options)
                if response.is_success:
                    return _result(response)
                error = _error_of(response)
            except httpx.TransportError as lost:
                error = self._reach.no_answer(lost)
            delay = self._reach.delay(error, attempt)
            if delay is None:
                raise error
            attempt += 1
            await asyncio.sleep(delay)

    async def events(self, id: str, *, after: int = 0) -> AsyncIterator[t.Event]:
        """All events of a run after this seq, until it has ended. A lost connection resumes without gap or repeat."""
        events = _RunEvents(id, after)
        while True:
            error = None
            try:
                async with self._http.stream(**events.connect()) as response:
                    if not response.is_success:
                        await response.aread()
                        raise _error_of(response)
                    async for line in response.aiter_lines():
                        event = events.read(line)
                        if event:
                            yield event
                        # A failed run may have been retried: then more events follow.
                        if event and event["type"] in TERMINAL_EVENTS and await self._is_caught_up(id, events.seq):
                            return
            except httpx.TransportError as lost:
                error = self._reach.no_answer(lost)
            except RunwrightError as refused:
                error = refused
            if error is None and (await self.get_run(id))["status"] in TERMINAL_STATUSES:
                if await self._is_caught_up(id, events.seq):
                    return
            await asyncio.sleep(events.pause(error, self._reach))

    async def _is_caught_up(self, id: str, seq: int) -> bool:
        return not (await self.poll_events(id, cursor=seq, limit=1))["events"]

    async def stream_all(self, *, cursor: str | None = None) -> AsyncIterator[tuple[str, t.CustomerEvent]]:
        """The events of all runs, each with the cursor after it; left out, from now on. It never ends by itself."""
        events = _AllEvents(cursor)
        while True:
            error = None
            try:
                async with self._http.stream(**events.connect()) as response:
                    if not response.is_success:
                        await response.aread()
                        raise _error_of(response)
                    async for line in response.aiter_lines():
                        event = events.read(line)
                        if event:
                            yield event
            except httpx.TransportError as lost:
                error = self._reach.no_answer(lost)
            except RunwrightError as refused:
                error = refused
            await asyncio.sleep(events.pause(error, self._reach))

    async def wait(self, id: str) -> t.RunDetail:
        """Returns the run when it has ended, with its `output`."""
        async for _ in self.events(id):
            pass
        return await self.get_run(id)

    async def steps(self, id: str) -> list[t.RunStep]:
        """What became of each step of a run, in the order of the plan. `task_id` is the one of the events."""
        return (await self.get_run(id, include=["steps"])).get("steps") or []

    async def signal(self, id: str, action: Action, *, payload: Any = _UNSET, await_seq: int | None = None,
                     call: t.AnsweredCall | None = None, calls: list[t.DecidedCall] | None = None,
                     idempotency_key: str | None = None) -> t.SignalResult:
        """Answers a run that awaits input. `await_seq` is the seq of the event that asks. See `Runwright.signal`."""
        return await self.signal_run(id, _signal(action, payload, await_seq, call, calls), idempotency_key=idempotency_key)
