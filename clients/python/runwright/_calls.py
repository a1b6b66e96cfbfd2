"""One method per operation. Generated from the OpenAPI document by `node scripts/write-docs.mjs`: do not edit."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal, cast
from urllib.parse import quote

from . import types as t


def quote_id(id: str) -> str:
    if id in ("", ".", ".."):
        raise ValueError(f"{id!r} is not a valid id")
    return quote(id, safe="")


class Calls:
    def _call(
        self, method: str, path: str, *, query: dict[str, Any] | None = None, body: Any = None, key: str | None = None
    ) -> Any:
        raise NotImplementedError

    def create_run(self, body: t.CreateRun, *, idempotency_key: str | None = None) -> t.CreatedRun:
        """Create a run."""
        return cast(t.CreatedRun, self._call("POST", "/v1/runs", body=body, key=idempotency_key))

    def list_runs(self, *, status: list[Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]] | None = None, awaiting_input: bool | None = None, assigned: Literal["me"] | None = None, workspace_id: str | None = None, subject_id: str | None = None, run_class: Literal["default", "short", "long"] | None = None, created_after: str | None = None, created_before: str | None = None, agent: str | None = None, error: str | None = None, schedule_id: str | None = None, q: str | None = None, limit: int | None = None, include: list[Literal["result", "title", "agent", "awaiting_input", "failure", "limits", "usage", "forked_from", "steps", "output"]] | None = None, cursor: str | None = None) -> t.RunList:
        """List runs, newest first."""
        return cast(t.RunList, self._call("GET", "/v1/runs", query={"status": status, "awaiting_input": awaiting_input, "assigned": assigned, "workspace_id": workspace_id, "subject_id": subject_id, "run_class": run_class, "created_after": created_after, "created_before": created_before, "agent": agent, "error": error, "schedule_id": schedule_id, "q": q, "limit": limit, "include": include, "cursor": cursor}))

    def iter_runs(self, *, status: list[Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]] | None = None, awaiting_input: bool | None = None, assigned: Literal["me"] | None = None, workspace_id: str | None = None, subject_id: str | None = None, run_class: Literal["default", "short", "long"] | None = None, created_after: str | None = None, created_before: str | None = None, agent: str | None = None, error: str | None = None, schedule_id: str | None = None, q: str | None = None, limit: int | None = None, include: list[Literal["result", "title", "agent", "awaiting_input", "failure", "limits", "usage", "forked_from", "steps", "output"]] | None = None) -> Iterator[t.ListedRun]:
        """List runs, newest first: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = self.list_runs(status=status, awaiting_input=awaiting_input, assigned=assigned, workspace_id=workspace_id, subject_id=subject_id, run_class=run_class, created_after=created_after, created_before=created_before, agent=agent, error=error, schedule_id=schedule_id, q=q, limit=limit, include=include, cursor=cursor)
            for item in page["runs"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def count_runs(self, *, workspace_id: str | None = None, subject_id: str | None = None, run_class: Literal["default", "short", "long"] | None = None, created_after: str | None = None, created_before: str | None = None) -> t.RunCounts:
        """Count runs by status."""
        return cast(t.RunCounts, self._call("GET", "/v1/runs/counts", query={"workspace_id": workspace_id, "subject_id": subject_id, "run_class": run_class, "created_after": created_after, "created_before": created_before}))

    def get_run(self, id: str, *, include: list[Literal["title", "awaiting_input", "input", "signals", "plan", "agent", "limits", "usage", "failure", "forked_from", "steps", "output", "created_by"]] | None = None) -> t.RunDetail:
        """Get a run."""
        return cast(t.RunDetail, self._call("GET", f"/v1/runs/{quote_id(id)}", query={"include": include}))

    def delete_run(self, id: str) -> t.DeletedRun:
        """Delete a run that has ended, with everything it wrote."""
        return cast(t.DeletedRun, self._call("DELETE", f"/v1/runs/{quote_id(id)}"))

    def cancel_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Cancel a run that has not ended."""
        return cast(t.Run, self._call("POST", f"/v1/runs/{quote_id(id)}/cancel", key=idempotency_key))

    def retry_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Retry a failed run, keeping its finished steps."""
        return cast(t.Run, self._call("POST", f"/v1/runs/{quote_id(id)}/retry", key=idempotency_key))

    def resume_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Resume a stalled run."""
        return cast(t.Run, self._call("POST", f"/v1/runs/{quote_id(id)}/resume", key=idempotency_key))

    def fork_run(self, id: str, body: t.ForkRun, *, idempotency_key: str | None = None) -> t.CreatedRun:
        """Create a run that continues another one after a finished step."""
        return cast(t.CreatedRun, self._call("POST", f"/v1/runs/{quote_id(id)}/fork", body=body, key=idempotency_key))

    def signal_run(self, id: str, body: t.Signal, *, idempotency_key: str | None = None) -> t.SignalResult:
        """Send input to a run that waits for it."""
        return cast(t.SignalResult, self._call("POST", f"/v1/runs/{quote_id(id)}/signal", body=body, key=idempotency_key))

    def list_agents(self) -> t.AgentList:
        """List the agents that runs can use."""
        return cast(t.AgentList, self._call("GET", "/v1/agents"))

    def list_tools(self) -> t.ToolList:
        """List the tools that runs can call."""
        return cast(t.ToolList, self._call("GET", "/v1/tools"))

    def poll_events(self, id: str, *, cursor: int | None = None, limit: int | None = None, wait: int | None = None) -> t.EventPage:
        """Read the events of a run after a cursor."""
        return cast(t.EventPage, self._call("GET", f"/v1/runs/{quote_id(id)}/events", query={"cursor": cursor, "limit": limit, "wait": wait}))

    def list_turns(self, id: str, *, after: int | None = None, limit: int | None = None) -> t.TurnPage:
        """Read the calls of a run to models."""
        return cast(t.TurnPage, self._call("GET", f"/v1/runs/{quote_id(id)}/turns", query={"after": after, "limit": limit}))

    def get_usage(self, *, workspace_id: str | None = None, subject_id: str | None = None, event_type: str | None = None, start: str | None = None, end: str | None = None, granularity: Literal["hour", "day", "month"] | None = None, group_by: list[Literal["workspace_id", "subject_id"]] | None = None) -> t.Usage:
        """Read aggregated usage."""
        return cast(t.Usage, self._call("GET", "/v1/usage", query={"workspace_id": workspace_id, "subject_id": subject_id, "event_type": event_type, "start": start, "end": end, "granularity": granularity, "group_by": group_by}))

    def list_usage_events(self, *, workspace_id: str | None = None, subject_id: str | None = None, event_type: str | None = None, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None) -> t.UsageEventPage:
        """List the records behind usage, newest first."""
        return cast(t.UsageEventPage, self._call("GET", "/v1/usage/events", query={"workspace_id": workspace_id, "subject_id": subject_id, "event_type": event_type, "start": start, "end": end, "limit": limit, "cursor": cursor}))

    def iter_usage_events(self, *, workspace_id: str | None = None, subject_id: str | None = None, event_type: str | None = None, start: str | None = None, end: str | None = None, limit: int | None = None) -> Iterator[t.UsageEvent]:
        """List the records behind usage, newest first: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = self.list_usage_events(workspace_id=workspace_id, subject_id=subject_id, event_type=event_type, start=start, end=end, limit=limit, cursor=cursor)
            for item in page["events"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_budgets(self, *, limit: int | None = None, cursor: str | None = None) -> t.BudgetList:
        """List the budgets of the customer."""
        return cast(t.BudgetList, self._call("GET", "/v1/budgets", query={"limit": limit, "cursor": cursor}))

    def iter_budgets(self, *, limit: int | None = None) -> Iterator[t.Budget]:
        """List the budgets of the customer: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = self.list_budgets(limit=limit, cursor=cursor)
            for item in page["budgets"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_customer_budget(self) -> t.BudgetResult:
        """Get the budget of the customer."""
        return cast(t.BudgetResult, self._call("GET", "/v1/budgets/customer"))

    def put_customer_budget(self, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of the customer."""
        return cast(t.BudgetResult, self._call("PUT", "/v1/budgets/customer", body=body))

    def delete_customer_budget(self) -> t.DeletedBudget:
        """Delete the budget of the customer."""
        return cast(t.DeletedBudget, self._call("DELETE", "/v1/budgets/customer"))

    def get_workspace_budget(self, id: str) -> t.BudgetResult:
        """Get the budget of a workspace."""
        return cast(t.BudgetResult, self._call("GET", f"/v1/budgets/workspaces/{quote_id(id)}"))

    def put_workspace_budget(self, id: str, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of a workspace."""
        return cast(t.BudgetResult, self._call("PUT", f"/v1/budgets/workspaces/{quote_id(id)}", body=body))

    def delete_workspace_budget(self, id: str) -> t.DeletedBudget:
        """Delete the budget of a workspace."""
        return cast(t.DeletedBudget, self._call("DELETE", f"/v1/budgets/workspaces/{quote_id(id)}"))

    def get_subject_budget(self, id: str) -> t.BudgetResult:
        """Get the budget of a subject."""
        return cast(t.BudgetResult, self._call("GET", f"/v1/budgets/subjects/{quote_id(id)}"))

    def put_subject_budget(self, id: str, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of a subject."""
        return cast(t.BudgetResult, self._call("PUT", f"/v1/budgets/subjects/{quote_id(id)}", body=body))

    def delete_subject_budget(self, id: str) -> t.DeletedBudget:
        """Delete the budget of a subject."""
        return cast(t.DeletedBudget, self._call("DELETE", f"/v1/budgets/subjects/{quote_id(id)}"))

    def list_memory(self, *, workspace_id: str | None = None, subject_id: str | None = None, status: Literal["active", "superseded", "archived"] | None = None, include_harness: bool | None = None, limit: int | None = None, offset: int | None = None) -> t.MemoryList:
        """List memory items, newest first."""
        return cast(t.MemoryList, self._call("GET", "/v1/memory/items", query={"workspace_id": workspace_id, "subject_id": subject_id, "status": status, "include_harness": include_harness, "limit": limit, "offset": offset}))

    def get_memory(self, id: str, *, workspace_id: str | None = None, subject_id: str | None = None, status: Literal["active", "superseded", "archived"] | None = None, include_harness: bool | None = None, include_embedding: bool | None = None) -> t.MemoryItem:
        """Get one memory item."""
        return cast(t.MemoryItem, self._call("GET", f"/v1/memory/items/{quote_id(id)}", query={"workspace_id": workspace_id, "subject_id": subject_id, "status": status, "include_harness": include_harness, "include_embedding": include_embedding}))

    def delete_memory(self, id: str) -> t.DeletedMemoryItem:
        """Delete one memory item."""
        return cast(t.DeletedMemoryItem, self._call("DELETE", f"/v1/memory/items/{quote_id(id)}"))

    def create_key(self, body: t.CreateKey, *, idempotency_key: str | None = None) -> t.KeyWithSecret:
        """Create an API key."""
        return cast(t.KeyWithSecret, self._call("POST", "/v1/keys", body=body, key=idempotency_key))

    def list_keys(self, *, limit: int | None = None, cursor: str | None = None) -> t.KeyList:
        """List the API keys of the customer."""
        return cast(t.KeyList, self._call("GET", "/v1/keys", query={"limit": limit, "cursor": cursor}))

    def iter_keys(self, *, limit: int | None = None) -> Iterator[t.Key]:
        """List the API keys of the customer: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = self.list_keys(limit=limit, cursor=cursor)
            for item in page["keys"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_key(self, id: str) -> t.KeyDetail:
        """Get a key, and what goes on when it is revoked."""
        return cast(t.KeyDetail, self._call("GET", f"/v1/keys/{quote_id(id)}"))

    def revoke_key(self, id: str) -> t.KeyResult:
        """Revoke a key."""
        return cast(t.KeyResult, self._call("DELETE", f"/v1/keys/{quote_id(id)}"))

    def rotate_key(self, id: str, body: t.RotateKey, *, idempotency_key: str | None = None) -> t.KeyWithSecret:
        """Give a key a new secret; old ones stay valid until their overlaps end."""
        return cast(t.KeyWithSecret, self._call("POST", f"/v1/keys/{quote_id(id)}/rotate", body=body, key=idempotency_key))

    def create_decision_link(self, id: str, body: t.CreateDecisionLink) -> t.DecisionLink:
        """Make a link with which a person or a role decides about a wait."""
        return cast(t.DecisionLink, self._call("POST", f"/v1/runs/{quote_id(id)}/decision-links", body=body))

    def create_token(self, body: t.CreateToken) -> t.TokenResult:
        """Make a short-lived token for a browser or an end user."""
        return cast(t.TokenResult, self._call("POST", "/v1/tokens", body=body))

    def create_schedule(self, body: t.CreateSchedule, *, idempotency_key: str | None = None) -> t.ScheduleResult:
        """Create a schedule."""
        return cast(t.ScheduleResult, self._call("POST", "/v1/schedules", body=body, key=idempotency_key))

    def list_schedules(self, *, limit: int | None = None, cursor: str | None = None) -> t.ScheduleList:
        """List the schedules of the customer, newest first."""
        return cast(t.ScheduleList, self._call("GET", "/v1/schedules", query={"limit": limit, "cursor": cursor}))

    def iter_schedules(self, *, limit: int | None = None) -> Iterator[t.ListedSchedule]:
        """List the schedules of the customer, newest first: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = self.list_schedules(limit=limit, cursor=cursor)
            for item in page["schedules"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_schedule(self, id: str) -> t.ScheduleResult:
        """Get a schedule."""
        return cast(t.ScheduleResult, self._call("GET", f"/v1/schedules/{quote_id(id)}"))

    def update_schedule(self, id: str, body: t.UpdateSchedule) -> t.ScheduleResult:
        """Change, pause or resume a schedule."""
        return cast(t.ScheduleResult, self._call("PATCH", f"/v1/schedules/{quote_id(id)}", body=body))

    def delete_schedule(self, id: str) -> t.DeletedSchedule:
        """Delete a schedule."""
        return cast(t.DeletedSchedule, self._call("DELETE", f"/v1/schedules/{quote_id(id)}"))

    def create_webhook(self, body: t.CreateWebhook, *, idempotency_key: str | None = None) -> t.CreatedWebhook:
        """Create a webhook."""
        return cast(t.CreatedWebhook, self._call("POST", "/v1/webhooks", body=body, key=idempotency_key))

    def list_webhooks(self, *, limit: int | None = None, cursor: str | None = None) -> t.WebhookList:
        """List the webhooks of the customer."""
        return cast(t.WebhookList, self._call("GET", "/v1/webhooks", query={"limit": limit, "cursor": cursor}))

    def iter_webhooks(self, *, limit: int | None = None) -> Iterator[t.Webhook]:
        """List the webhooks of the customer: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = self.list_webhooks(limit=limit, cursor=cursor)
            for item in page["webhooks"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def get_webhook(self, id: str) -> t.WebhookResult:
        """Get a webhook."""
        return cast(t.WebhookResult, self._call("GET", f"/v1/webhooks/{quote_id(id)}"))

    def update_webhook(self, id: str, body: t.UpdateWebhook) -> t.WebhookResult:
        """Change, pause or resume a webhook."""
        return cast(t.WebhookResult, self._call("PATCH", f"/v1/webhooks/{quote_id(id)}", body=body))

    def delete_webhook(self, id: str) -> t.DeletedWebhook:
        """Delete a webhook and its deliveries."""
        return cast(t.DeletedWebhook, self._call("DELETE", f"/v1/webhooks/{quote_id(id)}"))

    def rotate_webhook(self, id: str, body: t.RotateWebhook, *, idempotency_key: str | None = None) -> t.WebhookWithSecret:
        """Give a webhook a new secret; messages are signed with old ones, too, until their overlaps end."""
        return cast(t.WebhookWithSecret, self._call("POST", f"/v1/webhooks/{quote_id(id)}/rotate", body=body, key=idempotency_key))

    def test_webhook(self, id: str, *, idempotency_key: str | None = None) -> t.DeliveryResult:
        """Send a test message to a webhook."""
        return cast(t.DeliveryResult, self._call("POST", f"/v1/webhooks/{quote_id(id)}/test", key=idempotency_key))

    def list_deliveries(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> t.DeliveryList:
        """List the deliveries of a webhook, newest first."""
        return cast(t.DeliveryList, self._call("GET", f"/v1/webhooks/{quote_id(id)}/deliveries", query={"limit": limit, "cursor": cursor}))

    def iter_deliveries(self, id: str, *, limit: int | None = None) -> Iterator[t.Delivery]:
        """List the deliveries of a webhook, newest first: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = self.list_deliveries(id, limit=limit, cursor=cursor)
            for item in page["deliveries"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def redeliver(self, id: str, body: t.Redeliver, *, idempotency_key: str | None = None) -> t.DeliveryResult:
        """Send a message to a webhook again."""
        return cast(t.DeliveryResult, self._call("POST", f"/v1/webhooks/{quote_id(id)}/redeliver", body=body, key=idempotency_key))

    def list_audit(self, *, action: Literal["run.fork", "run.signal", "run.cancel", "run.retry", "run.resume", "run.delete", "run.link", "memory.delete", "key.create", "key.rotate", "key.revoke", "budget.set", "budget.delete", "schedule.create", "schedule.update", "schedule.delete", "webhook.create", "webhook.update", "webhook.rotate", "webhook.delete", "customer.create", "customer.suspend", "customer.resume", "customer.set_retention", "subject.erase", "person.sign_in", "person.update", "person.end_sessions"] | None = None, key_id: str | None = None, target: str | None = None, limit: int | None = None, cursor: str | None = None) -> t.AuditList:
        """List who did what, newest first."""
        return cast(t.AuditList, self._call("GET", "/v1/audit", query={"action": action, "key_id": key_id, "target": target, "limit": limit, "cursor": cursor}))

    def iter_audit(self, *, action: Literal["run.fork", "run.signal", "run.cancel", "run.retry", "run.resume", "run.delete", "run.link", "memory.delete", "key.create", "key.rotate", "key.revoke", "budget.set", "budget.delete", "schedule.create", "schedule.update", "schedule.delete", "webhook.create", "webhook.update", "webhook.rotate", "webhook.delete", "customer.create", "customer.suspend", "customer.resume", "customer.set_retention", "subject.erase", "person.sign_in", "person.update", "person.end_sessions"] | None = None, key_id: str | None = None, target: str | None = None, limit: int | None = None) -> Iterator[t.AuditEntry]:
        """List who did what, newest first: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = self.list_audit(action=action, key_id=key_id, target=target, limit=limit, cursor=cursor)
            for item in page["entries"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return


class AsyncCalls:
    async def _call(
        self, method: str, path: str, *, query: dict[str, Any] | None = None, body: Any = None, key: str | None = None
    ) -> Any:
        raise NotImplementedError

    async def create_run(self, body: t.CreateRun, *, idempotency_key: str | None = None) -> t.CreatedRun:
        """Create a run."""
        return cast(t.CreatedRun, await self._call("POST", "/v1/runs", body=body, key=idempotency_key))

    async def list_runs(self, *, status: list[Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]] | None = None, awaiting_input: bool | None = None, assigned: Literal["me"] | None = None, workspace_id: str | None = None, subject_id: str | None = None, run_class: Literal["default", "short", "long"] | None = None, created_after: str | None = None, created_before: str | None = None, agent: str | None = None, error: str | None = None, schedule_id: str | None = None, q: str | None = None, limit: int | None = None, include: list[Literal["result", "title", "agent", "awaiting_input", "failure", "limits", "usage", "forked_from", "steps", "output"]] | None = None, cursor: str | None = None) -> t.RunList:
        """List runs, newest first."""
        return cast(t.RunList, await self._call("GET", "/v1/runs", query={"status": status, "awaiting_input": awaiting_input, "assigned": assigned, "workspace_id": workspace_id, "subject_id": subject_id, "run_class": run_class, "created_after": created_after, "created_before": created_before, "agent": agent, "error": error, "schedule_id": schedule_id, "q": q, "limit": limit, "include": include, "cursor": cursor}))

    async def iter_runs(self, *, status: list[Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]] | None = None, awaiting_input: bool | None = None, assigned: Literal["me"] | None = None, workspace_id: str | None = None, subject_id: str | None = None, run_class: Literal["default", "short", "long"] | None = None, created_after: str | None = None, created_before: str | None = None, agent: str | None = None, error: str | None = None, schedule_id: str | None = None, q: str | None = None, limit: int | None = None, include: list[Literal["result", "title", "agent", "awaiting_input", "failure", "limits", "usage", "forked_from", "steps", "output"]] | None = None) -> AsyncIterator[t.ListedRun]:
        """List runs, newest first: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = await self.list_runs(status=status, awaiting_input=awaiting_input, assigned=assigned, workspace_id=workspace_id, subject_id=subject_id, run_class=run_class, created_after=created_after, created_before=created_before, agent=agent, error=error, schedule_id=schedule_id, q=q, limit=limit, include=include, cursor=cursor)
            for item in page["runs"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def count_runs(self, *, workspace_id: str | None = None, subject_id: str | None = None, run_class: Literal["default", "short", "long"] | None = None, created_after: str | None = None, created_before: str | None = None) -> t.RunCounts:
        """Count runs by status."""
        return cast(t.RunCounts, await self._call("GET", "/v1/runs/counts", query={"workspace_id": workspace_id, "subject_id": subject_id, "run_class": run_class, "created_after": created_after, "created_before": created_before}))

    async def get_run(self, id: str, *, include: list[Literal["title", "awaiting_input", "input", "signals", "plan", "agent", "limits", "usage", "failure", "forked_from", "steps", "output", "created_by"]] | None = None) -> t.RunDetail:
        """Get a run."""
        return cast(t.RunDetail, await self._call("GET", f"/v1/runs/{quote_id(id)}", query={"include": include}))

    async def delete_run(self, id: str) -> t.DeletedRun:
        """Delete a run that has ended, with everything it wrote."""
        return cast(t.DeletedRun, await self._call("DELETE", f"/v1/runs/{quote_id(id)}"))

    async def cancel_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Cancel a run that has not ended."""
        return cast(t.Run, await self._call("POST", f"/v1/runs/{quote_id(id)}/cancel", key=idempotency_key))

    async def retry_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Retry a failed run, keeping its finished steps."""
        return cast(t.Run, await self._call("POST", f"/v1/runs/{quote_id(id)}/retry", key=idempotency_key))

    async def resume_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Resume a stalled run."""
        return cast(t.Run, await self._call("POST", f"/v1/runs/{quote_id(id)}/resume", key=idempotency_key))

    async def fork_run(self, id: str, body: t.ForkRun, *, idempotency_key: str | None = None) -> t.CreatedRun:
        """Create a run that continues another one after a finished step."""
        return cast(t.CreatedRun, await self._call("POST", f"/v1/runs/{quote_id(id)}/fork", body=body, key=idempotency_key))

    async def signal_run(self, id: str, body: t.Signal, *, idempotency_key: str | None = None) -> t.SignalResult:
        """Send input to a run that waits for it."""
        return cast(t.SignalResult, await self._call("POST", f"/v1/runs/{quote_id(id)}/signal", body=body, key=idempotency_key))

    async def list_agents(self) -> t.AgentList:
        """List the agents that runs can use."""
        return cast(t.AgentList, await self._call("GET", "/v1/agents"))

    async def list_tools(self) -> t.ToolList:
        """List the tools that runs can call."""
        return cast(t.ToolList, await self._call("GET", "/v1/tools"))

    async def poll_events(self, id: str, *, cursor: int | None = None, limit: int | None = None, wait: int | None = None) -> t.EventPage:
        """Read the events of a run after a cursor."""
        return cast(t.EventPage, await self._call("GET", f"/v1/runs/{quote_id(id)}/events", query={"cursor": cursor, "limit": limit, "wait": wait}))

    async def list_turns(self, id: str, *, after: int | None = None, limit: int | None = None) -> t.TurnPage:
        """Read the calls of a run to models."""
        return cast(t.TurnPage, await self._call("GET", f"/v1/runs/{quote_id(id)}/turns", query={"after": after, "limit": limit}))

    async def get_usage(self, *, workspace_id: str | None = None, subject_id: str | None = None, event_type: str | None = None, start: str | None = None, end: str | None = None, granularity: Literal["hour", "day", "month"] | None = None, group_by: list[Literal["workspace_id", "subject_id"]] | None = None) -> t.Usage:
        """Read aggregated usage."""
        return cast(t.Usage, await self._call("GET", "/v1/usage", query={"workspace_id": workspace_id, "subject_id": subject_id, "event_type": event_type, "start": start, "end": end, "granularity": granularity, "group_by": group_by}))

    async def list_usage_events(self, *, workspace_id: str | None = None, subject_id: str | None = None, event_type: str | None = None, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None) -> t.UsageEventPage:
        """List the records behind usage, newest first."""
        return cast(t.UsageEventPage, await self._call("GET", "/v1/usage/events", query={"workspace_id": workspace_id, "subject_id": subject_id, "event_type": event_type, "start": start, "end": end, "limit": limit, "cursor": cursor}))

    async def iter_usage_events(self, *, workspace_id: str | None = None, subject_id: str | None = None, event_type: str | None = None, start: str | None = None, end: str | None = None, limit: int | None = None) -> AsyncIterator[t.UsageEvent]:
        """List the records behind usage, newest first: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = await self.list_usage_events(workspace_id=workspace_id, subject_id=subject_id, event_type=event_type, start=start, end=end, limit=limit, cursor=cursor)
            for item in page["events"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def list_budgets(self, *, limit: int | None = None, cursor: str | None = None) -> t.BudgetList:
        """List the budgets of the customer."""
        return cast(t.BudgetList, await self._call("GET", "/v1/budgets", query={"limit": limit, "cursor": cursor}))

    async def iter_budgets(self, *, limit: int | None = None) -> AsyncIterator[t.Budget]:
        """List the budgets of the customer: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = await self.list_budgets(limit=limit, cursor=cursor)
            for item in page["budgets"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_customer_budget(self) -> t.BudgetResult:
        """Get the budget of the customer."""
        return cast(t.BudgetResult, await self._call("GET", "/v1/budgets/customer"))

    async def put_customer_budget(self, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of the customer."""
        return cast(t.BudgetResult, await self._call("PUT", "/v1/budgets/customer", body=body))

    async def delete_customer_budget(self) -> t.DeletedBudget:
        """Delete the budget of the customer."""
        return cast(t.DeletedBudget, await self._call("DELETE", "/v1/budgets/customer"))

    async def get_workspace_budget(self, id: str) -> t.BudgetResult:
        """Get the budget of a workspace."""
        return cast(t.BudgetResult, await self._call("GET", f"/v1/budgets/workspaces/{quote_id(id)}"))

    async def put_workspace_budget(self, id: str, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of a workspace."""
        return cast(t.BudgetResult, await self._call("PUT", f"/v1/budgets/workspaces/{quote_id(id)}", body=body))

    async def delete_workspace_budget(self, id: str) -> t.DeletedBudget:
        """Delete the budget of a workspace."""
        return cast(t.DeletedBudget, await self._call("DELETE", f"/v1/budgets/workspaces/{quote_id(id)}"))

    async def get_subject_budget(self, id: str) -> t.BudgetResult:
        """Get the budget of a subject."""
        return cast(t.BudgetResult, await self._call("GET", f"/v1/budgets/subjects/{quote_id(id)}"))

    async def put_subject_budget(self, id: str, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of a subject."""
        return cast(t.BudgetResult, await self._call("PUT", f"/v1/budgets/subjects/{quote_id(id)}", body=body))

    async def delete_subject_budget(self, id: str) -> t.DeletedBudget:
        """Delete the budget of a subject."""
        return cast(t.DeletedBudget, await self._call("DELETE", f"/v1/budgets/subjects/{quote_id(id)}"))

    async def list_memory(self, *, workspace_id: str | None = None, subject_id: str | None = None, status: Literal["active", "superseded", "archived"] | None = None, include_harness: bool | None = None, limit: int | None = None, offset: int | None = None) -> t.MemoryList:
        """List memory items, newest first."""
        return cast(t.MemoryList, await self._call("GET", "/v1/memory/items", query={"workspace_id": workspace_id, "subject_id": subject_id, "status": status, "include_harness": include_harness, "limit": limit, "offset": offset}))

    async def get_memory(self, id: str, *, workspace_id: str | None = None, subject_id: str | None = None, status: Literal["active", "superseded", "archived"] | None = None, include_harness: bool | None = None, include_embedding: bool | None = None) -> t.MemoryItem:
        """Get one memory item."""
        return cast(t.MemoryItem, await self._call("GET", f"/v1/memory/items/{quote_id(id)}", query={"workspace_id": workspace_id, "subject_id": subject_id, "status": status, "include_harness": include_harness, "include_embedding": include_embedding}))

    async def delete_memory(self, id: str) -> t.DeletedMemoryItem:
        """Delete one memory item."""
        return cast(t.DeletedMemoryItem, await self._call("DELETE", f"/v1/memory/items/{quote_id(id)}"))

    async def create_key(self, body: t.CreateKey, *, idempotency_key: str | None = None) -> t.KeyWithSecret:
        """Create an API key."""
        return cast(t.KeyWithSecret, await self._call("POST", "/v1/keys", body=body, key=idempotency_key))

    async def list_keys(self, *, limit: int | None = None, cursor: str | None = None) -> t.KeyList:
        """List the API keys of the customer."""
        return cast(t.KeyList, await self._call("GET", "/v1/keys", query={"limit": limit, "cursor": cursor}))

    async def iter_keys(self, *, limit: int | None = None) -> AsyncIterator[t.Key]:
        """List the API keys of the customer: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = await self.list_keys(limit=limit, cursor=cursor)
            for item in page["keys"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_key(self, id: str) -> t.KeyDetail:
        """Get a key, and what goes on when it is revoked."""
        return cast(t.KeyDetail, await self._call("GET", f"/v1/keys/{quote_id(id)}"))

    async def revoke_key(self, id: str) -> t.KeyResult:
        """Revoke a key."""
        return cast(t.KeyResult, await self._call("DELETE", f"/v1/keys/{quote_id(id)}"))

    async def rotate_key(self, id: str, body: t.RotateKey, *, idempotency_key: str | None = None) -> t.KeyWithSecret:
        """Give a key a new secret; old ones stay valid until their overlaps end."""
        return cast(t.KeyWithSecret, await self._call("POST", f"/v1/keys/{quote_id(id)}/rotate", body=body, key=idempotency_key))

    async def create_decision_link(self, id: str, body: t.CreateDecisionLink) -> t.DecisionLink:
        """Make a link with which a person or a role decides about a wait."""
        return cast(t.DecisionLink, await self._call("POST", f"/v1/runs/{quote_id(id)}/decision-links", body=body))

    async def create_token(self, body: t.CreateToken) -> t.TokenResult:
        """Make a short-lived token for a browser or an end user."""
        return cast(t.TokenResult, await self._call("POST", "/v1/tokens", body=body))

    async def create_schedule(self, body: t.CreateSchedule, *, idempotency_key: str | None = None) -> t.ScheduleResult:
        """Create a schedule."""
        return cast(t.ScheduleResult, await self._call("POST", "/v1/schedules", body=body, key=idempotency_key))

    async def list_schedules(self, *, limit: int | None = None, cursor: str | None = None) -> t.ScheduleList:
        """List the schedules of the customer, newest first."""
        return cast(t.ScheduleList, await self._call("GET", "/v1/schedules", query={"limit": limit, "cursor": cursor}))

    async def iter_schedules(self, *, limit: int | None = None) -> AsyncIterator[t.ListedSchedule]:
        """List the schedules of the customer, newest first: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = await self.list_schedules(limit=limit, cursor=cursor)
            for item in page["schedules"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_schedule(self, id: str) -> t.ScheduleResult:
        """Get a schedule."""
        return cast(t.ScheduleResult, await self._call("GET", f"/v1/schedules/{quote_id(id)}"))

    async def update_schedule(self, id: str, body: t.UpdateSchedule) -> t.ScheduleResult:
        """Change, pause or resume a schedule."""
        return cast(t.ScheduleResult, await self._call("PATCH", f"/v1/schedules/{quote_id(id)}", body=body))

    async def delete_schedule(self, id: str) -> t.DeletedSchedule:
        """Delete a schedule."""
        return cast(t.DeletedSchedule, await self._call("DELETE", f"/v1/schedules/{quote_id(id)}"))

    async def create_webhook(self, body: t.CreateWebhook, *, idempotency_key: str | None = None) -> t.CreatedWebhook:
        """Create a webhook."""
        return cast(t.CreatedWebhook, await self._call("POST", "/v1/webhooks", body=body, key=idempotency_key))

    async def list_webhooks(self, *, limit: int | None = None, cursor: str | None = None) -> t.WebhookList:
        """List the webhooks of the customer."""
        return cast(t.WebhookList, await self._call("GET", "/v1/webhooks", query={"limit": limit, "cursor": cursor}))

    async def iter_webhooks(self, *, limit: int | None = None) -> AsyncIterator[t.Webhook]:
        """List the webhooks of the customer: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = await self.list_webhooks(limit=limit, cursor=cursor)
            for item in page["webhooks"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def get_webhook(self, id: str) -> t.WebhookResult:
        """Get a webhook."""
        return cast(t.WebhookResult, await self._call("GET", f"/v1/webhooks/{quote_id(id)}"))

    async def update_webhook(self, id: str, body: t.UpdateWebhook) -> t.WebhookResult:
        """Change, pause or resume a webhook."""
        return cast(t.WebhookResult, await self._call("PATCH", f"/v1/webhooks/{quote_id(id)}", body=body))

    async def delete_webhook(self, id: str) -> t.DeletedWebhook:
        """Delete a webhook and its deliveries."""
        return cast(t.DeletedWebhook, await self._call("DELETE", f"/v1/webhooks/{quote_id(id)}"))

    async def rotate_webhook(self, id: str, body: t.RotateWebhook, *, idempotency_key: str | None = None) -> t.WebhookWithSecret:
        """Give a webhook a new secret; messages are signed with old ones, too, until their overlaps end."""
        return cast(t.WebhookWithSecret, await self._call("POST", f"/v1/webhooks/{quote_id(id)}/rotate", body=body, key=idempotency_key))

    async def test_webhook(self, id: str, *, idempotency_key: str | None = None) -> t.DeliveryResult:
        """Send a test message to a webhook."""
        return cast(t.DeliveryResult, await self._call("POST", f"/v1/webhooks/{quote_id(id)}/test", key=idempotency_key))

    async def list_deliveries(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> t.DeliveryList:
        """List the deliveries of a webhook, newest first."""
        return cast(t.DeliveryList, await self._call("GET", f"/v1/webhooks/{quote_id(id)}/deliveries", query={"limit": limit, "cursor": cursor}))

    async def iter_deliveries(self, id: str, *, limit: int | None = None) -> AsyncIterator[t.Delivery]:
        """List the deliveries of a webhook, newest first: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = await self.list_deliveries(id, limit=limit, cursor=cursor)
            for item in page["deliveries"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def redeliver(self, id: str, body: t.Redeliver, *, idempotency_key: str | None = None) -> t.DeliveryResult:
        """Send a message to a webhook again."""
        return cast(t.DeliveryResult, await self._call("POST", f"/v1/webhooks/{quote_id(id)}/redeliver", body=body, key=idempotency_key))

    async def list_audit(self, *, action: Literal["run.fork", "run.signal", "run.cancel", "run.retry", "run.resume", "run.delete", "run.link", "memory.delete", "key.create", "key.rotate", "key.revoke", "budget.set", "budget.delete", "schedule.create", "schedule.update", "schedule.delete", "webhook.create", "webhook.update", "webhook.rotate", "webhook.delete", "customer.create", "customer.suspend", "customer.resume", "customer.set_retention", "subject.erase", "person.sign_in", "person.update", "person.end_sessions"] | None = None, key_id: str | None = None, target: str | None = None, limit: int | None = None, cursor: str | None = None) -> t.AuditList:
        """List who did what, newest first."""
        return cast(t.AuditList, await self._call("GET", "/v1/audit", query={"action": action, "key_id": key_id, "target": target, "limit": limit, "cursor": cursor}))

    async def iter_audit(self, *, action: Literal["run.fork", "run.signal", "run.cancel", "run.retry", "run.resume", "run.delete", "run.link", "memory.delete", "key.create", "key.rotate", "key.revoke", "budget.set", "budget.delete", "schedule.create", "schedule.update", "schedule.delete", "webhook.create", "webhook.update", "webhook.rotate", "webhook.delete", "customer.create", "customer.suspend", "customer.resume", "customer.set_retention", "subject.erase", "person.sign_in", "person.update", "person.end_sessions"] | None = None, key_id: str | None = None, target: str | None = None, limit: int | None = None) -> AsyncIterator[t.AuditEntry]:
        """List who did what, newest first: those of all pages. `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = await self.list_audit(action=action, key_id=key_id, target=target, limit=limit, cursor=cursor)
            for item in page["entries"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return
