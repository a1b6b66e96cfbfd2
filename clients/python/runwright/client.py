"""Calls a Runwright service: every operation, events that resume by seq, and waiting for a run to end."""

from __future__ import annotations

import asyncio
import json
import random
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

import httpx

from . import types as t
from ._calls import AsyncCalls, Calls, _quote

TERMINAL_EVENTS = {"run.worker.succeeded", "run.worker.failed", "run.cancelled", "run.limit_exceeded"}
TERMINAL_STATUSES = {"succeeded", "failed", "cancelled"}
_TRANSIENT = {429, 500, 502, 503, 504}
_MAX_RETRIES = 5
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


def _error_of(response: httpx.Response) -> RunwrightError:
    try:
        body = response.json()
    except ValueError:
        body = {}
    body = body if isinstance(body, dict) else {}
    after = response.headers.get("retry-after", "")
    return RunwrightError(
        str(body.get("message") or f"The service answered {response.status_code}."),
        status=response.status_code,
        reason_code=body.get("reason_code"),
        request_id=body.get("request_id"),
        retry_after=float(after) if after.isdigit() else None,
    )


def _no_answer(error: Exception) -> RunwrightError:
    return RunwrightError(f"No answer from the service: {error or type(error).__name__}")


def _delay(error: RunwrightError, attempt: int) -> float | None:
    """The seconds before the next attempt, or None to give up."""
    after = error.retry_after or 0.0
    if not error.is_transient or attempt >= _MAX_RETRIES or after > _LONGEST_RETRY_AFTER:
        return None
    return max(min(10.0, 0.2 * 2**attempt * (1 + random.random() / 4)), after)


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
    body = response.json() if response.content else None
    if isinstance(body, dict) and isinstance(body.get("event_payload"), dict):
        value = body["event_payload"].get("value")
        body["output"] = value.get("output") if isinstance(value, dict) else None
    return body


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


class _Frames:
    """Reads the lines of an event stream. `seq` is the last event that was delivered."""

    def __init__(self, run_id: str, after: int) -> None:
        self.path = f"/v1/runs/{run_id}/events/stream"
        self.seq = after
        self.failures = 0
        self._name = ""
        self._data: list[str] = []

    def take(self, line: str) -> t.Event | None:
        """The event that this line completes. An event that was delivered before is dropped."""
        field, _, value = line.rstrip("\r\n").partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        elif field == "" and not value:
            return self._end()
        return None

    def _end(self) -> t.Event | None:
        name, data, self._name, self._data = self._name, "\n".join(self._data), "", []
        if not data:
            return None
        body = json.loads(data)
        if name == "error":
            raise RunwrightError(body.get("message", "The stream ended with an error."), status=503,
                                 reason_code=body.get("reason_code"), request_id=body.get("request_id"))
        if name != "run_event" or body["seq"] <= self.seq:
            return None
        self.seq, self.failures = body["seq"], 0
        return cast(t.Event, body)

    def restart(self) -> dict[str, Any]:
        self._name, self._data = "", []
        return {"method": "GET", "url": self.path, "params": {"cursor": str(self.seq)},
                "headers": {"accept": "text/event-stream"}}

    def pause(self, error: RunwrightError | None) -> float:
        """The seconds before the next connection. Raises the error if it is permanent."""
        if error is None:
            return 0.2
        delay = _delay(error, self.failures)
        if delay is None:
            raise error
        self.failures += 1
        return delay


def _client_options(base_url: str, api_key: str, timeout: float) -> dict[str, Any]:
    # A stream is silent for 15 s at most: then a comment arrives.
    return {"base_url": base_url.rstrip("/"), "headers": {"authorization": f"Bearer {api_key}"},
            "timeout": httpx.Timeout(timeout, read=max(timeout, 45.0))}


class Runwright(Calls):
    """A client for synchronous code. Use it in a `with` block, or close it."""

    def __init__(self, base_url: str, api_key: str, *, timeout: float = 30.0,
                 transport: httpx.BaseTransport | None = None) -> None:
        self._http = httpx.Client(**_client_options(base_url, api_key, timeout), transport=transport)

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
                error = _no_answer(lost)
            delay = _delay(error, attempt)
            if delay is None:
                raise error
            attempt += 1
            time.sleep(delay)

    def events(self, id: str, *, after: int = 0) -> Iterator[t.Event]:
        """All events of a run after this seq, until it has ended. A lost connection resumes without gap or repeat."""
        frames = _Frames(id, after)
        while True:
            error = None
            try:
                with self._http.stream(**frames.restart()) as response:
                    if not response.is_success:
                        response.read()
                        raise _error_of(response)
                    for line in response.iter_lines():
                        event = frames.take(line)
                        if event:
                            yield event
                        # A failed run may have been retried: then more events follow.
                        if event and event["type"] in TERMINAL_EVENTS and self._is_caught_up(id, frames.seq):
                            return
            except httpx.TransportError as lost:
                error = _no_answer(lost)
            except RunwrightError as refused:
                error = refused
            if error is None and self.get_run(id)["status"] in TERMINAL_STATUSES and self._is_caught_up(id, frames.seq):
                return
            time.sleep(frames.pause(error))

    def _is_caught_up(self, id: str, seq: int) -> bool:
        return not self.poll_events(id, cursor=seq, limit=1)["events"]

    def wait(self, id: str) -> t.RunDetail:
        """Returns the run when it has ended, with its `output`."""
        for _ in self.events(id):
            pass
        return self.get_run(id)

    def steps(self, id: str) -> list[t.RunStep]:
        """What became of each step of a run, in the order of the plan. `task_id` is the one of the events."""
        return self._call("GET", f"/v1/runs/{_quote(id)}", query={"include": "steps"})["steps"] or []

    def signal(self, id: str, action: str, **more: Any) -> t.SignalResult:
        """Answers a run that awaits input: `approve`, `reject` or `submit_input`, with `payload` and `await_seq`."""
        return self.signal_run(id, cast(t.Signal, {"action": action, **more}))


class AsyncRunwright(AsyncCalls):
    """A client for asyncio. Use it in an `async with` block, or close it."""

    def __init__(self, base_url: str, api_key: str, *, timeout: float = 30.0,
                 transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._http = httpx.AsyncClient(**_client_options(base_url, api_key, timeout), transport=transport)

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
                error = _no_answer(lost)
            delay = _delay(error, attempt)
            if delay is None:
                raise error
            attempt += 1
            await asyncio.sleep(delay)

    async def events(self, id: str, *, after: int = 0) -> AsyncIterator[t.Event]:
        """All events of a run after this seq, until it has ended. A lost connection resumes without gap or repeat."""
        frames = _Frames(id, after)
        while True:
            error = None
            try:
                async with self._http.stream(**frames.restart()) as response:
                    if not response.is_success:
                        await response.aread()
                        raise _error_of(response)
                    async for line in response.aiter_lines():
                        event = frames.take(line)
                        if event:
                            yield event
                        # A failed run may have been retried: then more events follow.
                        if event and event["type"] in TERMINAL_EVENTS and await self._is_caught_up(id, frames.seq):
                            return
            except httpx.TransportError as lost:
                error = _no_answer(lost)
            except RunwrightError as refused:
                error = refused
            if error is None and (await self.get_run(id))["status"] in TERMINAL_STATUSES:
                if await self._is_caught_up(id, frames.seq):
                    return
            await asyncio.sleep(frames.pause(error))

    async def _is_caught_up(self, id: str, seq: int) -> bool:
        return not (await self.poll_events(id, cursor=seq, limit=1))["events"]

    async def wait(self, id: str) -> t.RunDetail:
        """Returns the run when it has ended, with its `output`."""
        async for _ in self.events(id):
            pass
        return await self.get_run(id)

    async def steps(self, id: str) -> list[t.RunStep]:
        """What became of each step of a run, in the order of the plan. `task_id` is the one of the events."""
        return (await self._call("GET", f"/v1/runs/{_quote(id)}", query={"include": "steps"}))["steps"] or []

    async def signal(self, id: str, action: str, **more: Any) -> t.SignalResult:
        """Answers a run that awaits input: `approve`, `reject` or `submit_input`, with `payload` and `await_seq`."""
        return await self.signal_run(id, cast(t.Signal, {"action": action, **more}))
