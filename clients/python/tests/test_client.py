"""Tests against a running service: RUNWRIGHT_URL and RUNWRIGHT_API_KEY name it."""

import asyncio
import os
import unittest

import httpx

from runwright import AsyncRunwright, Runwright, RunwrightError

URL, KEY = os.environ["RUNWRIGHT_URL"], os.environ["RUNWRIGHT_API_KEY"]
PLAN = {
    "steps": [
        {"id": "total", "tool": "calculator", "input": {"expression": "12 * 95.5"}},
        {"id": "gate", "await_input": {"input_kind": "approval", "prompt": "Pay it?"}},
    ]
}


class LosesConnection(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Cuts every event stream after a few hundred bytes, and the first answer of every other call."""

    def __init__(self, inner, inner_async):
        self.inner, self.inner_async, self.streams, self.seen = inner, inner_async, 0, set()

    def _cuts(self, request):
        if request.url.path.endswith("/stream"):
            self.streams += 1
            return self.streams < 4
        first = (request.method, request.url.path) not in self.seen
        self.seen.add((request.method, request.url.path))
        if first:
            raise httpx.ReadError("lost")
        return False

    def handle_request(self, request):
        cuts = self._cuts(request)
        response = self.inner.handle_request(request)
        return httpx.Response(response.status_code, headers=response.headers, stream=Cut(response)) if cuts else response

    async def handle_async_request(self, request):
        cuts = self._cuts(request)
        response = await self.inner_async.handle_async_request(request)
        return httpx.Response(response.status_code, headers=response.headers, stream=Cut(response)) if cuts else response


class Cut(httpx.SyncByteStream, httpx.AsyncByteStream):
    def __init__(self, response):
        self.response = response

    def __iter__(self):
        for chunk in self.response.stream:
            yield chunk[:300]
            raise httpx.ReadError("lost")

    async def __aiter__(self):
        async for chunk in self.response.stream:
            yield chunk[:300]
            raise httpx.ReadError("lost")


def unreliable():
    return LosesConnection(httpx.HTTPTransport(), httpx.AsyncHTTPTransport())


class Sync(unittest.TestCase):
    def test_creates_follows_approves_and_reads_the_result(self):
        with Runwright(URL, KEY) as client:
            run = client.create_run({"input": {}, "metadata": {}, "plan": PLAN})
            seen = []
            for event in client.events(run["id"]):
                seen.append(event["seq"])
                if event["type"] == "run.awaiting_input":
                    client.signal(run["id"], "approve", await_seq=event["seq"])
            self.assertEqual(seen, list(range(1, len(seen) + 1)))
            self.assertEqual(client.wait(run["id"])["status"], "succeeded")
            rest = [event["seq"] for event in client.events(run["id"], after=3)]
            self.assertEqual(rest, seen[3:])

    def test_a_lost_connection_loses_and_repeats_nothing(self):
        with Runwright(URL, KEY, transport=unreliable()) as client:
            run = client.create_run({"input": {"sandbox": {"steps": [{"say": "a"}, {"say": "b"}]}}})
            seqs = [event["seq"] for event in client.events(run["id"])]
            self.assertEqual(seqs, list(range(1, len(seqs) + 1)))
            self.assertEqual(client.get_run(run["id"])["status"], "succeeded")
            # The answer of the first create was lost: the second one found the same run.
            self.assertEqual([one["id"] for one in client.list_runs(limit=1)["runs"]], [run["id"]])

    def test_a_run_has_its_output_and_its_steps(self):
        with Runwright(URL, KEY) as client:
            run = client.create_run({"input": {}, "plan": {"steps": PLAN["steps"][:1]}})
            self.assertIsNone(run["output"])
            self.assertEqual(client.wait(run["id"])["output"], {"result": 1146})
            [step] = client.steps(run["id"])
            self.assertEqual((step["id"], step["state"], step["output"]), ("total", "succeeded", {"result": 1146}))

    def test_the_metadata_of_a_run_is_empty_unless_given(self):
        with Runwright(URL, KEY) as client:
            ids = [client.create_run({"input": {}, **more})["id"] for more in ({}, {"metadata": {"order": 7}})]
            sent = [client.get_run(id, include="input")["input"]["metadata"] for id in ids]
            self.assertEqual(sent, [{}, {"order": 7}])
            schedule = client.create_schedule({"cron": "0 9 * * *", "run": {"input": {}}})["schedule"]
            self.assertEqual(schedule["run"]["metadata"], {})
            client.delete_schedule(schedule["id"])

    def test_an_error_has_its_reason(self):
        with Runwright(URL, KEY) as client, self.assertRaises(RunwrightError) as raised:
            client.get_run("run_00000000000000000000000000")
        self.assertEqual((raised.exception.status, raised.exception.reason_code), (404, "RUN_NOT_FOUND"))

    def test_a_list_of_includes_and_a_boolean_are_sent_as_the_service_reads_them(self):
        with Runwright(URL, KEY) as client:
            run = client.create_run({"input": {"n": 1}})
            client.wait(run["id"])
            self.assertEqual(client.get_run(run["id"], include=["input", "usage"])["input"]["input"], {"n": 1})
            self.assertIsInstance(client.list_runs(awaiting_input=False)["runs"], list)


class Async(unittest.IsolatedAsyncioTestCase):
    async def test_creates_follows_approves_and_reads_the_result(self):
        async with AsyncRunwright(URL, KEY) as client:
            run = await client.create_run({"input": {}, "metadata": {}, "plan": PLAN})
            seen = []
            async for event in client.events(run["id"]):
                seen.append(event["seq"])
                if event["type"] == "run.awaiting_input":
                    await client.signal(run["id"], "approve", await_seq=event["seq"])
            self.assertEqual(seen, list(range(1, len(seen) + 1)))
            ended = await client.wait(run["id"])
            self.assertEqual((ended["status"], ended["output"]), ("succeeded", {"result": 1146}))
            self.assertEqual([step["state"] for step in await client.steps(run["id"])], ["succeeded", "succeeded"])

    async def test_a_lost_connection_loses_and_repeats_nothing(self):
        async with AsyncRunwright(URL, KEY, transport=unreliable()) as client:
            run = await client.create_run({"input": {"sandbox": {"steps": [{"say": "a"}, {"say": "b"}]}}})
            seqs = [event["seq"] async for event in client.events(run["id"])]
            self.assertEqual(seqs, list(range(1, len(seqs) + 1)))

    async def test_many_runs_side_by_side(self):
        async with AsyncRunwright(URL, KEY) as client:
            runs = await asyncio.gather(*(client.create_run({"input": {"n": n}}) for n in range(10)))
            ended = await asyncio.gather(*(client.wait(run["id"]) for run in runs))
            self.assertEqual({run["status"] for run in ended}, {"succeeded"})


if __name__ == "__main__":
    unittest.main()
