"""One method per operation. Generated from the OpenAPI document by `node scripts/write-docs.mjs`: do not edit."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import quote

from . import types as t


def _quote(id: str) -> str:
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
        return self._call("POST", "/v1/runs", body=body, key=idempotency_key)

    def list_runs(self, *, status: list[Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]] | None = None, awaiting_input: bool | None = None, workspace_id: str | None = None, subject_id: str | None = None, run_class: Literal["default", "short", "long"] | None = None, created_after: str | None = None, created_before: str | None = None, agent: str | None = None, error: str | None = None, q: str | None = None, limit: int | None = None, include: list[Literal["result", "title", "agent", "awaiting_input", "failure", "limits", "usage", "forked_from", "steps", "output"]] | None = None, cursor: str | None = None) -> t.RunList:
        """List runs, newest first."""
        return self._call("GET", "/v1/runs", query={"status": status, "awaiting_input": awaiting_input, "workspace_id": workspace_id, "subject_id": subject_id, "run_class": run_class, "created_after": created_after, "created_before": created_before, "agent": agent, "error": error, "q": q, "limit": limit, "include": include, "cursor": cursor})

    def count_runs(self, *, workspace_id: str | None = None, subject_id: str | None = None, run_class: Literal["default", "short", "long"] | None = None, created_after: str | None = None, created_before: str | None = None) -> t.RunCounts:
        """Count runs by status."""
        return self._call("GET", "/v1/runs/counts", query={"workspace_id": workspace_id, "subject_id": subject_id, "run_class": run_class, "created_after": created_after, "created_before": created_before})

    def get_run(self, id: str, *, include: list[Literal["title", "awaiting_input", "input", "signals", "plan", "agent", "limits", "usage", "failure", "forked_from", "steps", "output", "created_by"]] | None = None) -> t.RunDetail:
        """Get a run."""
        return self._call("GET", f"/v1/runs/{_quote(id)}", query={"include": include})

    def delete_run(self, id: str) -> t.DeletedRun:
        """Delete a run that has ended, with everything it wrote."""
        return self._call("DELETE", f"/v1/runs/{_quote(id)}")

    def cancel_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Cancel a run that has not ended."""
        return self._call("POST", f"/v1/runs/{_quote(id)}/cancel", key=idempotency_key)

    def retry_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Retry a failed run, keeping its finished steps."""
        return self._call("POST", f"/v1/runs/{_quote(id)}/retry", key=idempotency_key)

    def resume_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Resume a stalled run."""
        return self._call("POST", f"/v1/runs/{_quote(id)}/resume", key=idempotency_key)

    def fork_run(self, id: str, body: t.ForkRun, *, idempotency_key: str | None = None) -> t.CreatedRun:
        """Create a run that continues another one after a finished step."""
        return self._call("POST", f"/v1/runs/{_quote(id)}/fork", body=body, key=idempotency_key)

    def signal_run(self, id: str, body: t.Signal, *, idempotency_key: str | None = None) -> t.SignalResult:
        """Send input to a run that waits for it."""
        return self._call("POST", f"/v1/runs/{_quote(id)}/signal", body=body, key=idempotency_key)

    def list_agents(self) -> t.AgentList:
        """List the agents that runs can use."""
        return self._call("GET", "/v1/agents")

    def list_tools(self) -> t.ToolList:
        """List the tools that runs can call."""
        return self._call("GET", "/v1/tools")

    def poll_events(self, id: str, *, cursor: int | None = None, limit: int | None = None, wait: int | None = None) -> t.EventPage:
        """Read the events of a run after a cursor."""
        return self._call("GET", f"/v1/runs/{_quote(id)}/events", query={"cursor": cursor, "limit": limit, "wait": wait})

    def list_turns(self, id: str, *, after: int | None = None, limit: int | None = None) -> t.TurnPage:
        """Read the calls of a run to models."""
        return self._call("GET", f"/v1/runs/{_quote(id)}/turns", query={"after": after, "limit": limit})

    def get_usage(self, *, workspace_id: str | None = None, subject_id: str | None = None, event_type: str | None = None, start: str | None = None, end: str | None = None, granularity: Literal["hour", "day", "month"] | None = None, group_by: list[Literal["workspace_id", "subject_id"]] | None = None) -> t.Usage:
        """Read aggregated usage."""
        return self._call("GET", "/v1/usage", query={"workspace_id": workspace_id, "subject_id": subject_id, "event_type": event_type, "start": start, "end": end, "granularity": granularity, "group_by": group_by})

    def list_usage_events(self, *, workspace_id: str | None = None, subject_id: str | None = None, event_type: str | None = None, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None) -> t.UsageEventPage:
        """List the records behind usage, newest first."""
        return self._call("GET", "/v1/usage/events", query={"workspace_id": workspace_id, "subject_id": subject_id, "event_type": event_type, "start": start, "end": end, "limit": limit, "cursor": cursor})

    def list_budgets(self, *, limit: int | None = None, cursor: str | None = None) -> t.BudgetList:
        """List the budgets of the customer."""
        return self._call("GET", "/v1/budgets", query={"limit": limit, "cursor": cursor})

    def get_customer_budget(self) -> t.BudgetResult:
        """Get the budget of the customer."""
        return self._call("GET", "/v1/budgets/customer")

    def put_customer_budget(self, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of the customer."""
        return self._call("PUT", "/v1/budgets/customer", body=body)

    def delete_customer_budget(self) -> t.DeletedBudget:
        """Delete the budget of the customer."""
        return self._call("DELETE", "/v1/budgets/customer")

    def get_workspace_budget(self, id: str) -> t.BudgetResult:
        """Get the budget of a workspace."""
        return self._call("GET", f"/v1/budgets/workspaces/{_quote(id)}")

    def put_workspace_budget(self, id: str, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of a workspace."""
        return self._call("PUT", f"/v1/budgets/workspaces/{_quote(id)}", body=body)

    def delete_workspace_budget(self, id: str) -> t.DeletedBudget:
        """Delete the budget of a workspace."""
        return self._call("DELETE", f"/v1/budgets/workspaces/{_quote(id)}")

    def get_subject_budget(self, id: str) -> t.BudgetResult:
        """Get the budget of a subject."""
        return self._call("GET", f"/v1/budgets/subjects/{_quote(id)}")

    def put_subject_budget(self, id: str, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of a subject."""
        return self._call("PUT", f"/v1/budgets/subjects/{_quote(id)}", body=body)

    def delete_subject_budget(self, id: str) -> t.DeletedBudget:
        """Delete the budget of a subject."""
        return self._call("DELETE", f"/v1/budgets/subjects/{_quote(id)}")

    def list_memory(self, *, workspace_id: str | None = None, subject_id: str | None = None, status: Literal["active", "superseded", "archived"] | None = None, include_harness: bool | None = None, limit: int | None = None, offset: int | None = None) -> t.MemoryList:
        """List memory items, newest first."""
        return self._call("GET", "/v1/memory/items", query={"workspace_id": workspace_id, "subject_id": subject_id, "status": status, "include_harness": include_harness, "limit": limit, "offset": offset})

    def get_memory(self, id: str, *, workspace_id: str | None = None, subject_id: str | None = None, status: Literal["active", "superseded", "archived"] | None = None, include_harness: bool | None = None, include_embedding: bool | None = None) -> t.MemoryItem:
        """Get one memory item."""
        return self._call("GET", f"/v1/memory/items/{_quote(id)}", query={"workspace_id": workspace_id, "subject_id": subject_id, "status": status, "include_harness": include_harness, "include_embedding": include_embedding})

    def delete_memory(self, id: str) -> t.DeletedMemoryItem:
        """Delete one memory item."""
        return self._call("DELETE", f"/v1/memory/items/{_quote(id)}")

    def create_key(self, body: t.CreateKey, *, idempotency_key: str | None = None) -> t.KeyWithSecret:
        """Create an API key."""
        return self._call("POST", "/v1/keys", body=body, key=idempotency_key)

    def list_keys(self, *, limit: int | None = None, cursor: str | None = None) -> t.KeyList:
        """List the API keys of the customer."""
        return self._call("GET", "/v1/keys", query={"limit": limit, "cursor": cursor})

    def get_key(self, id: str) -> t.KeyDetail:
        """Get a key, and what goes on when it is revoked."""
        return self._call("GET", f"/v1/keys/{_quote(id)}")

    def revoke_key(self, id: str) -> t.KeyResult:
        """Revoke a key."""
        return self._call("DELETE", f"/v1/keys/{_quote(id)}")

    def rotate_key(self, id: str, body: t.RotateKey, *, idempotency_key: str | None = None) -> t.KeyWithSecret:
        """Give a key a new secret; old ones stay valid until their overlaps end."""
        return self._call("POST", f"/v1/keys/{_quote(id)}/rotate", body=body, key=idempotency_key)

    def create_schedule(self, body: t.CreateSchedule, *, idempotency_key: str | None = None) -> t.ScheduleResult:
        """Create a schedule."""
        return self._call("POST", "/v1/schedules", body=body, key=idempotency_key)

    def list_schedules(self, *, limit: int | None = None, cursor: str | None = None) -> t.ScheduleList:
        """List the schedules of the customer, newest first."""
        return self._call("GET", "/v1/schedules", query={"limit": limit, "cursor": cursor})

    def get_schedule(self, id: str) -> t.ScheduleResult:
        """Get a schedule."""
        return self._call("GET", f"/v1/schedules/{_quote(id)}")

    def update_schedule(self, id: str, body: t.UpdateSchedule) -> t.ScheduleResult:
        """Change, pause or resume a schedule."""
        return self._call("PATCH", f"/v1/schedules/{_quote(id)}", body=body)

    def delete_schedule(self, id: str) -> t.DeletedSchedule:
        """Delete a schedule."""
        return self._call("DELETE", f"/v1/schedules/{_quote(id)}")

    def create_webhook(self, body: t.CreateWebhook, *, idempotency_key: str | None = None) -> t.WebhookWithSecret:
        """Create a webhook."""
        return self._call("POST", "/v1/webhooks", body=body, key=idempotency_key)

    def list_webhooks(self, *, limit: int | None = None, cursor: str | None = None) -> t.WebhookList:
        """List the webhooks of the customer."""
        return self._call("GET", "/v1/webhooks", query={"limit": limit, "cursor": cursor})

    def get_webhook(self, id: str) -> t.WebhookResult:
        """Get a webhook."""
        return self._call("GET", f"/v1/webhooks/{_quote(id)}")

    def update_webhook(self, id: str, body: t.UpdateWebhook) -> t.WebhookResult:
        """Change, pause or resume a webhook."""
        return self._call("PATCH", f"/v1/webhooks/{_quote(id)}", body=body)

    def delete_webhook(self, id: str) -> t.DeletedWebhook:
        """Delete a webhook and its deliveries."""
        return self._call("DELETE", f"/v1/webhooks/{_quote(id)}")

    def rotate_webhook(self, id: str, body: t.RotateWebhook, *, idempotency_key: str | None = None) -> t.WebhookWithSecret:
        """Give a webhook a new secret; messages are signed with old ones, too, until their overlaps end."""
        return self._call("POST", f"/v1/webhooks/{_quote(id)}/rotate", body=body, key=idempotency_key)

    def test_webhook(self, id: str, *, idempotency_key: str | None = None) -> t.DeliveryResult:
        """Send a test message to a webhook."""
        return self._call("POST", f"/v1/webhooks/{_quote(id)}/test", key=idempotency_key)

    def list_deliveries(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> t.DeliveryList:
        """List the deliveries of a webhook, newest first."""
        return self._call("GET", f"/v1/webhooks/{_quote(id)}/deliveries", query={"limit": limit, "cursor": cursor})

    def redeliver(self, id: str, body: t.Redeliver, *, idempotency_key: str | None = None) -> t.DeliveryResult:
        """Send a message to a webhook again."""
        return self._call("POST", f"/v1/webhooks/{_quote(id)}/redeliver", body=body, key=idempotency_key)

    def list_audit(self, *, action: Literal["run.fork", "run.signal", "run.cancel", "run.retry", "run.resume", "run.delete", "memory.delete", "key.create", "key.rotate", "key.revoke", "budget.set", "budget.delete", "schedule.create", "schedule.update", "schedule.delete", "webhook.create", "webhook.update", "webhook.rotate", "webhook.delete", "customer.create", "customer.suspend", "customer.resume", "customer.set_retention", "subject.erase"] | None = None, key_id: str | None = None, target: str | None = None, limit: int | None = None, cursor: str | None = None) -> t.AuditList:
        """List who did what, newest first."""
        return self._call("GET", "/v1/audit", query={"action": action, "key_id": key_id, "target": target, "limit": limit, "cursor": cursor})


class AsyncCalls:
    async def _call(
        self, method: str, path: str, *, query: dict[str, Any] | None = None, body: Any = None, key: str | None = None
    ) -> Any:
        raise NotImplementedError

    async def create_run(self, body: t.CreateRun, *, idempotency_key: str | None = None) -> t.CreatedRun:
        """Create a run."""
        return await self._call("POST", "/v1/runs", body=body, key=idempotency_key)

    async def list_runs(self, *, status: list[Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]] | None = None, awaiting_input: bool | None = None, workspace_id: str | None = None, subject_id: str | None = None, run_class: Literal["default", "short", "long"] | None = None, created_after: str | None = None, created_before: str | None = None, agent: str | None = None, error: str | None = None, q: str | None = None, limit: int | None = None, include: list[Literal["result", "title", "agent", "awaiting_input", "failure", "limits", "usage", "forked_from", "steps", "output"]] | None = None, cursor: str | None = None) -> t.RunList:
        """List runs, newest first."""
        return await self._call("GET", "/v1/runs", query={"status": status, "awaiting_input": awaiting_input, "workspace_id": workspace_id, "subject_id": subject_id, "run_class": run_class, "created_after": created_after, "created_before": created_before, "agent": agent, "error": error, "q": q, "limit": limit, "include": include, "cursor": cursor})

    async def count_runs(self, *, workspace_id: str | None = None, subject_id: str | None = None, run_class: Literal["default", "short", "long"] | None = None, created_after: str | None = None, created_before: str | None = None) -> t.RunCounts:
        """Count runs by status."""
        return await self._call("GET", "/v1/runs/counts", query={"workspace_id": workspace_id, "subject_id": subject_id, "run_class": run_class, "created_after": created_after, "created_before": created_before})

    async def get_run(self, id: str, *, include: list[Literal["title", "awaiting_input", "input", "signals", "plan", "agent", "limits", "usage", "failure", "forked_from", "steps", "output", "created_by"]] | None = None) -> t.RunDetail:
        """Get a run."""
        return await self._call("GET", f"/v1/runs/{_quote(id)}", query={"include": include})

    async def delete_run(self, id: str) -> t.DeletedRun:
        """Delete a run that has ended, with everything it wrote."""
        return await self._call("DELETE", f"/v1/runs/{_quote(id)}")

    async def cancel_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Cancel a run that has not ended."""
        return await self._call("POST", f"/v1/runs/{_quote(id)}/cancel", key=idempotency_key)

    async def retry_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Retry a failed run, keeping its finished steps."""
        return await self._call("POST", f"/v1/runs/{_quote(id)}/retry", key=idempotency_key)

    async def resume_run(self, id: str, *, idempotency_key: str | None = None) -> t.Run:
        """Resume a stalled run."""
        return await self._call("POST", f"/v1/runs/{_quote(id)}/resume", key=idempotency_key)

    async def fork_run(self, id: str, body: t.ForkRun, *, idempotency_key: str | None = None) -> t.CreatedRun:
        """Create a run that continues another one after a finished step."""
        return await self._call("POST", f"/v1/runs/{_quote(id)}/fork", body=body, key=idempotency_key)

    async def signal_run(self, id: str, body: t.Signal, *, idempotency_key: str | None = None) -> t.SignalResult:
        """Send input to a run that waits for it."""
        return await self._call("POST", f"/v1/runs/{_quote(id)}/signal", body=body, key=idempotency_key)

    async def list_agents(self) -> t.AgentList:
        """List the agents that runs can use."""
        return await self._call("GET", "/v1/agents")

    async def list_tools(self) -> t.ToolList:
        """List the tools that runs can call."""
        return await self._call("GET", "/v1/tools")

    async def poll_events(self, id: str, *, cursor: int | None = None, limit: int | None = None, wait: int | None = None) -> t.EventPage:
        """Read the events of a run after a cursor."""
        return await self._call("GET", f"/v1/runs/{_quote(id)}/events", query={"cursor": cursor, "limit": limit, "wait": wait})

    async def list_turns(self, id: str, *, after: int | None = None, limit: int | None = None) -> t.TurnPage:
        """Read the calls of a run to models."""
        return await self._call("GET", f"/v1/runs/{_quote(id)}/turns", query={"after": after, "limit": limit})

    async def get_usage(self, *, workspace_id: str | None = None, subject_id: str | None = None, event_type: str | None = None, start: str | None = None, end: str | None = None, granularity: Literal["hour", "day", "month"] | None = None, group_by: list[Literal["workspace_id", "subject_id"]] | None = None) -> t.Usage:
        """Read aggregated usage."""
        return await self._call("GET", "/v1/usage", query={"workspace_id": workspace_id, "subject_id": subject_id, "event_type": event_type, "start": start, "end": end, "granularity": granularity, "group_by": group_by})

    async def list_usage_events(self, *, workspace_id: str | None = None, subject_id: str | None = None, event_type: str | None = None, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None) -> t.UsageEventPage:
        """List the records behind usage, newest first."""
        return await self._call("GET", "/v1/usage/events", query={"workspace_id": workspace_id, "subject_id": subject_id, "event_type": event_type, "start": start, "end": end, "limit": limit, "cursor": cursor})

    async def list_budgets(self, *, limit: int | None = None, cursor: str | None = None) -> t.BudgetList:
        """List the budgets of the customer."""
        return await self._call("GET", "/v1/budgets", query={"limit": limit, "cursor": cursor})

    async def get_customer_budget(self) -> t.BudgetResult:
        """Get the budget of the customer."""
        return await self._call("GET", "/v1/budgets/customer")

    async def put_customer_budget(self, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of the customer."""
        return await self._call("PUT", "/v1/budgets/customer", body=body)

    async def delete_customer_budget(self) -> t.DeletedBudget:
        """Delete the budget of the customer."""
        return await self._call("DELETE", "/v1/budgets/customer")

    async def get_workspace_budget(self, id: str) -> t.BudgetResult:
        """Get the budget of a workspace."""
        return await self._call("GET", f"/v1/budgets/workspaces/{_quote(id)}")

    async def put_workspace_budget(self, id: str, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of a workspace."""
        return await self._call("PUT", f"/v1/budgets/workspaces/{_quote(id)}", body=body)

    async def delete_workspace_budget(self, id: str) -> t.DeletedBudget:
        """Delete the budget of a workspace."""
        return await self._call("DELETE", f"/v1/budgets/workspaces/{_quote(id)}")

    async def get_subject_budget(self, id: str) -> t.BudgetResult:
        """Get the budget of a subject."""
        return await self._call("GET", f"/v1/budgets/subjects/{_quote(id)}")

    async def put_subject_budget(self, id: str, body: t.PutBudget) -> t.BudgetResult:
        """Set the budget of a subject."""
        return await self._call("PUT", f"/v1/budgets/subjects/{_quote(id)}", body=body)

    async def delete_subject_budget(self, id: str) -> t.DeletedBudget:
        """Delete the budget of a subject."""
        return await self._call("DELETE", f"/v1/budgets/subjects/{_quote(id)}")

    async def list_memory(self, *, workspace_id: str | None = None, subject_id: str | None = None, status: Literal["active", "superseded", "archived"] | None = None, include_harness: bool | None = None, limit: int | None = None, offset: int | None = None) -> t.MemoryList:
        """List memory items, newest first."""
        return await self._call("GET", "/v1/memory/items", query={"workspace_id": workspace_id, "subject_id": subject_id, "status": status, "include_harness": include_harness, "limit": limit, "offset": offset})

    async def get_memory(self, id: str, *, workspace_id: str | None = None, subject_id: str | None = None, status: Literal["active", "superseded", "archived"] | None = None, include_harness: bool | None = None, include_embedding: bool | None = None) -> t.MemoryItem:
        """Get one memory item."""
        return await self._call("GET", f"/v1/memory/items/{_quote(id)}", query={"workspace_id": workspace_id, "subject_id": subject_id, "status": status, "include_harness": include_harness, "include_embedding": include_embedding})

    async def delete_memory(self, id: str) -> t.DeletedMemoryItem:
        """Delete one memory item."""
        return await self._call("DELETE", f"/v1/memory/items/{_quote(id)}")

    async def create_key(self, body: t.CreateKey, *, idempotency_key: str | None = None) -> t.KeyWithSecret:
        """Create an API key."""
        return await self._call("POST", "/v1/keys", body=body, key=idempotency_key)

    async def list_keys(self, *, limit: int | None = None, cursor: str | None = None) -> t.KeyList:
        """List the API keys of the customer."""
        return await self._call("GET", "/v1/keys", query={"limit": limit, "cursor": cursor})

    async def get_key(self, id: str) -> t.KeyDetail:
        """Get a key, and what goes on when it is revoked."""
        return await self._call("GET", f"/v1/keys/{_quote(id)}")

    async def revoke_key(self, id: str) -> t.KeyResult:
        """Revoke a key."""
        return await self._call("DELETE", f"/v1/keys/{_quote(id)}")

    async def rotate_key(self, id: str, body: t.RotateKey, *, idempotency_key: str | None = None) -> t.KeyWithSecret:
        """Give a key a new secret; old ones stay valid until their overlaps end."""
        return await self._call("POST", f"/v1/keys/{_quote(id)}/rotate", body=body, key=idempotency_key)

    async def create_schedule(self, body: t.CreateSchedule, *, idempotency_key: str | None = None) -> t.ScheduleResult:
        """Create a schedule."""
        return await self._call("POST", "/v1/schedules", body=body, key=idempotency_key)

    async def list_schedules(self, *, limit: int | None = None, cursor: str | None = None) -> t.ScheduleList:
        """List the schedules of the customer, newest first."""
        return await self._call("GET", "/v1/schedules", query={"limit": limit, "cursor": cursor})

    async def get_schedule(self, id: str) -> t.ScheduleResult:
        """Get a schedule."""
        return await self._call("GET", f"/v1/schedules/{_quote(id)}")

    async def update_schedule(self, id: str, body: t.UpdateSchedule) -> t.ScheduleResult:
        """Change, pause or resume a schedule."""
        return await self._call("PATCH", f"/v1/schedules/{_quote(id)}", body=body)

    async def delete_schedule(self, id: str) -> t.DeletedSchedule:
        """Delete a schedule."""
        return await self._call("DELETE", f"/v1/schedules/{_quote(id)}")

    async def create_webhook(self, body: t.CreateWebhook, *, idempotency_key: str | None = None) -> t.WebhookWithSecret:
        """Create a webhook."""
        return await self._call("POST", "/v1/webhooks", body=body, key=idempotency_key)

    async def list_webhooks(self, *, limit: int | None = None, cursor: str | None = None) -> t.WebhookList:
        """List the webhooks of the customer."""
        return await self._call("GET", "/v1/webhooks", query={"limit": limit, "cursor": cursor})

    async def get_webhook(self, id: str) -> t.WebhookResult:
        """Get a webhook."""
        return await self._call("GET", f"/v1/webhooks/{_quote(id)}")

    async def update_webhook(self, id: str, body: t.UpdateWebhook) -> t.WebhookResult:
        """Change, pause or resume a webhook."""
        return await self._call("PATCH", f"/v1/webhooks/{_quote(id)}", body=body)

    async def delete_webhook(self, id: str) -> t.DeletedWebhook:
        """Delete a webhook and its deliveries."""
        return await self._call("DELETE", f"/v1/webhooks/{_quote(id)}")

    async def rotate_webhook(self, id: str, body: t.RotateWebhook, *, idempotency_key: str | None = None) -> t.WebhookWithSecret:
        """Give a webhook a new secret; messages are signed with old ones, too, until their overlaps end."""
        return await self._call("POST", f"/v1/webhooks/{_quote(id)}/rotate", body=body, key=idempotency_key)

    async def test_webhook(self, id: str, *, idempotency_key: str | None = None) -> t.DeliveryResult:
        """Send a test message to a webhook."""
        return await self._call("POST", f"/v1/webhooks/{_quote(id)}/test", key=idempotency_key)

    async def list_deliveries(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> t.DeliveryList:
        """List the deliveries of a webhook, newest first."""
        return await self._call("GET", f"/v1/webhooks/{_quote(id)}/deliveries", query={"limit": limit, "cursor": cursor})

    async def redeliver(self, id: str, body: t.Redeliver, *, idempotency_key: str | None = None) -> t.DeliveryResult:
        """Send a message to a webhook again."""
        return await self._call("POST", f"/v1/webhooks/{_quote(id)}/redeliver", body=body, key=idempotency_key)

    async def list_audit(self, *, action: Literal["run.fork", "run.signal", "run.cancel", "run.retry", "run.resume", "run.delete", "memory.delete", "key.create", "key.rotate", "key.revoke", "budget.set", "budget.delete", "schedule.create", "schedule.update", "schedule.delete", "webhook.create", "webhook.update", "webhook.rotate", "webhook.delete", "customer.create", "customer.suspend", "customer.resume", "customer.set_retention", "subject.erase"] | None = None, key_id: str | None = None, target: str | None = None, limit: int | None = None, cursor: str | None = None) -> t.AuditList:
        """List who did what, newest first."""
        return await self._call("GET", "/v1/audit", query={"action": action, "key_id": key_id, "target": target, "limit": limit, "cursor": cursor})
