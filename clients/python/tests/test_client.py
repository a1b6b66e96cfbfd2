"""Tests against a running service: RUNWRIGHT_URL and RUNWRIGHT_API_KEY name it."""

import asyncio
import base64
import os
import time
import unittest
import unittest.mock
import uuid

import httpx

from runwright import AsyncRunwright, Runwright, RunwrightError

URL, KEY = os.environ["RUNWRIGHT_URL"], os.environ["RUNWRIGHT_API_KEY"]
PLAN = {
    "steps": [
        {"id": "total", "tool": "calculator", "input": {"expression": "12 * 95.5"}},
        {"id": "gate", "await_input": {"input_kind": "approval", "prompt": "Pay it?"}},
    ]
}

ASKING_PLAN = {
    "steps": [
        {"id": "edited", "tool": "calculator", "input": {"expression": "1+1"}, "approval": "required"},
        {"id": "denied", "tool": "calculator", "input": {"expression": "2+2"}, "approval": "required"},
    ]
}
# By the expression of the question, and the id of its call.
DECISIONS = {
    "1+1": lambda _: {"call": {"arguments": {"expression": "3+3"}}},
    "2+2": lambda call_id: {"calls": [{"call_id": call_id, "deny": "Paid already"}]},
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


class Away(httpx.BaseTransport):
    """Answers a few times, and then refuses every connection."""

    def __init__(self, answers):
        self.answers, self.attempts = answers, 0

    def handle_request(self, request):
        self.attempts += 1
        if self.attempts > self.answers:
            raise httpx.ConnectError("refused")
        return httpx.Response(200, json={})


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
            sent = [client.get_run(id, include=["input"])["input"]["metadata"] for id in ids]
            self.assertEqual(sent, [{}, {"order": 7}])
            schedule = client.create_schedule({"cron": "0 9 * * *", "run": {"input": {}}})["schedule"]
            self.assertEqual(schedule["run"]["metadata"], {})
            client.delete_schedule(schedule["id"])

    def test_the_environment_names_the_service_and_the_key(self):
        with Runwright() as client:
            self.assertIsInstance(client.list_runs(limit=1)["runs"], list)

    def test_a_wrong_option_is_one_sentence_without_the_key(self):
        wrong = {
            "base_url must be an HTTP URL such as http://127.0.0.1:8080, but is 'localhost:8080'.": ("localhost:8080", KEY),
            "api_key must be an API key, <key_id>:<secret>, as it was printed when it was created.": (URL, "only-a-secret"),
        }
        for message, arguments in wrong.items():
            with self.assertRaises(ValueError) as raised:
                Runwright(*arguments)
            self.assertEqual(str(raised.exception), message)
        for options in ({"timeout": -1}, {"max_retries": -1}):
            with self.assertRaisesRegex(ValueError, "must be a number that is not negative, but is -1"):
                Runwright(URL, KEY, **options)
        with unittest.mock.patch.dict(os.environ, {"RUNWRIGHT_API_KEY": ""}):
            with self.assertRaisesRegex(ValueError, "^No API key: set api_key or the environment variable RUNWRIGHT_API_KEY"):
                Runwright(URL)

    def test_a_service_that_has_never_answered_is_given_up_early_and_named(self):
        away = Away(answers=0)
        with Runwright("http://127.0.0.1:9", KEY, transport=away) as client, unittest.mock.patch("time.sleep") as sleep:
            for call in (lambda: client.list_runs(), lambda: next(client.events("run_1")), lambda: next(client.stream_all())):
                away.attempts = 0
                with self.assertRaisesRegex(RunwrightError, "^No response from http://127.0.0.1:9: refused. Check the address"):
                    call()
                self.assertEqual(away.attempts, 4)
            self.assertLess(sum(seconds for [[seconds], _] in sleep.call_args_list) / 3, 2)
        with Runwright(URL, KEY, max_retries=1, transport=Away(answers=0)) as client:
            with self.assertRaises(RunwrightError):
                client.list_runs()
            self.assertEqual(client._http._transport.attempts, 2)

    def test_a_service_that_has_answered_once_is_tried_more_often(self):
        away = Away(answers=1)
        with Runwright("http://127.0.0.1:9", KEY, transport=away) as client, unittest.mock.patch("time.sleep"):
            client.list_runs()
            away.attempts = away.answers = 0
            with self.assertRaisesRegex(RunwrightError, "^No response from http://127.0.0.1:9: refused$"):
                client.list_runs()
            self.assertEqual(away.attempts, 6)

    def test_the_items_of_all_pages(self):
        with Runwright(URL, KEY) as client:
            label = str(uuid.uuid4())
            ids = [client.create_run({"input": {}, "workspace_id": label})["id"] for _ in range(5)]
            found = [run["id"] for run in client.iter_runs(workspace_id=label, limit=2)]
            self.assertEqual(found, ids[::-1])

    def test_the_events_of_all_runs_resume_at_their_cursor(self):
        with Runwright(URL, KEY, transport=unreliable()) as client, Runwright(URL, KEY) as other:
            before = f"{int(time.time() * 1000) - 1}:{uuid.UUID(int=0)}:0"
            start, events = base64.urlsafe_b64encode(before.encode()).decode().rstrip("="), []
            runs = {other.create_run({"input": {}})["id"] for _ in range(2)}
            ended = set()
            for _, event in client.stream_all(cursor=start):
                if event["run_id"] not in runs:
                    continue
                events.append((event["run_id"], event["seq"]))
                if event["type"] == "run.worker.succeeded":
                    ended.add(event["run_id"])
                if ended == runs:
                    break
            for run in runs:
                seqs = [seq for id, seq in events if id == run]
                self.assertEqual(seqs, list(range(1, len(seqs) + 1)))

    def test_null_is_a_payload(self):
        with Runwright(URL, KEY) as client:
            run = client.create_run({"input": {}, "plan": {"steps": [{"id": "gate", "await_input": {}}]}})
            for event in client.events(run["id"]):
                if event["type"] == "run.awaiting_input":
                    client.signal(run["id"], "submit_input", payload=None, await_seq=event["seq"])
            [signal] = client.get_run(run["id"], include=["signals"])["signals"]
            self.assertEqual((signal["action"], signal["payload"]), ("submit_input", None))

    def test_a_call_is_denied_and_several_are_decided_at_once(self):
        with Runwright(URL, KEY) as client:
            run = client.create_run({"input": {}, "plan": ASKING_PLAN})
            for event in client.events(run["id"]):
                if event["type"] == "run.awaiting_input":
                    question = client.get_run(run["id"], include=["awaiting_input"])["awaiting_input"]
                    call_id = question["calls"][0]["call_id"]
                    answer = DECISIONS[question["arguments"]["expression"]](call_id)
                    client.signal(run["id"], "submit_input", await_seq=event["seq"], **answer)
            edited, decided = client.get_run(run["id"], include=["signals"])["signals"]
            self.assertEqual((edited["call"], edited["calls"]), ({"arguments": {"expression": "3+3"}}, None))
            self.assertEqual((decided["call"], decided["calls"]), (None, [{"call_id": call_id, "deny": "Paid already"}]))

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


class Renews:
    """Returns a token that is valid, then broken until it is asked again."""

    def __init__(self, client):
        self.client, self.calls = client, 0

    def __call__(self):
        self.calls += 1
        made = self.client.create_token({"scopes": ["runs:read", "runs:write"], "subject_id": "me", "expires_in": 60})
        return made["token"] if self.calls > 1 else made["token"] + "x"


class Tokens(unittest.TestCase):
    def test_a_token_is_renewed_when_it_is_refused_also_for_streams(self):
        with Runwright(URL, KEY) as client:
            renews = Renews(client)
            with Runwright(URL, token=renews) as browser:
                run = browser.create_run({"input": {}})
                self.assertEqual(run["subject_id"], "me")
                self.assertEqual([event["seq"] for event in browser.events(run["id"])][0], 1)
            self.assertEqual(renews.calls, 2)

    def test_a_refused_token_without_a_function_is_an_error(self):
        with Runwright(URL, token="tok_1.e30.x") as browser, self.assertRaises(RunwrightError) as refused:
            browser.list_runs()
        self.assertEqual(refused.exception.reason_code, "TOKEN_INVALID")
        with self.assertRaises(ValueError):
            Runwright(URL, KEY, token="tok_1.e30.x")
        with self.assertRaises(ValueError):
            Runwright(URL, token="nonsense")


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

    async def test_pages_and_the_events_of_all_runs(self):
        async with AsyncRunwright(URL, KEY) as client:
            label = str(uuid.uuid4())
            ids = [(await client.create_run({"input": {}, "workspace_id": label}))["id"] for _ in range(3)]
            found = [run["id"] async for run in client.iter_runs(workspace_id=label, limit=2)]
            self.assertEqual(found, ids[::-1])
            before = f"{int(time.time() * 1000) - 1}:{uuid.UUID(int=0)}:0"
            start = base64.urlsafe_b64encode(before.encode()).decode().rstrip("=")
            created = (await client.create_run({"input": {}}))["id"]
            async for cursor, event in client.stream_all(cursor=start):
                self.assertTrue(cursor)
                if (event["run_id"], event["type"]) == (created, "run.worker.succeeded"):
                    break

    async def test_the_function_of_a_token_may_be_a_coroutine(self):
        with Runwright(URL, KEY) as client:
            renews = Renews(client)

            async def renew():
                return renews()

            async with AsyncRunwright(URL, token=renew) as browser:
                run = await browser.create_run({"input": {}})
                self.assertEqual((await browser.wait(run["id"]))["subject_id"], "me")
            self.assertEqual(renews.calls, 2)

    async def test_many_runs_side_by_side(self):
        async with AsyncRunwright(URL, KEY) as client:
            runs = await asyncio.gather(*(client.create_run({"input": {"n": n}}) for n in range(10)))
            ended = await asyncio.gather(*(client.wait(run["id"]) for run in runs))
            self.assertEqual({run["status"] for run in ended}, {"succeeded"})


if __name__ == "__main__":
    unittest.main()
