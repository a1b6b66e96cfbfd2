"""The types of the wire. Generated from the OpenAPI document by `node scripts/write-docs.mjs`: do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union

class Agent(TypedDict):
    # The value for `metadata.agent` of a run and for `agent` of a plan step
    name: str
    description: str
    # SHA-256 of the definition, in hex. It changes when any field or the instructions change
    hash: str
    # Null: the model of the worker
    model: Union[str, None]
    # Null: all tools that policy allows
    tools: Union[list[str], None]
    # When a model judges the steps of the agent
    judge: Literal["each_step", "end", "never"]
    # Null: the limit of the service
    max_turns: Union[int, None]
    # JSON Schema of the result
    output_schema: Union[dict[str, Any], None]


class AgentList(TypedDict):
    agents: list[Agent]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class AgentStep(TypedDict):
    # Generated if omitted
    id: NotRequired[str]
    # Ids of the steps that must finish first. Default: the preceding step. `[]`: none; the step starts at once
    depends_on: NotRequired[list[str]]
    # Default: 3
    max_attempts: NotRequired[int]
    # After this time the run is stalled. Default and maximum: the step timeout of the service; a larger value is reduced to it
    timeout_seconds: NotRequired[float]
    # Wait for approval before the step
    approval: NotRequired[Literal["required"]]
    # What the model should do; may contain templates
    instruction: str
    # The name of the agent that does the step. Default: the agent of the run, if it has one
    agent: NotRequired[str]
    # Default: all tools that policy allows. `[]`: none
    tools: NotRequired[list[str]]
    # JSON Schema that the output of the step must match
    output_schema: NotRequired[dict[str, Any]]
    # Whether the judge is asked after the step; with `end` only if it is the last one. Default: as the plan says
    judge: NotRequired[Literal["each_step", "end", "never"]]


class AnsweredCall(TypedDict):
    # The call was made, and failed with this message
    error: str


class AuditEntry(TypedDict):
    # The place in the chain of the customer, without gaps
    seq: int
    at: str
    action: Literal["run.fork", "run.signal", "run.cancel", "run.retry", "run.resume", "run.delete", "memory.delete", "key.create", "key.rotate", "key.revoke", "budget.set", "budget.delete", "schedule.create", "schedule.update", "schedule.delete", "webhook.create", "webhook.update", "webhook.rotate", "webhook.delete", "customer.create", "customer.suspend", "customer.resume", "customer.set_retention", "subject.erase"]
    # The API key that acted; null: the operator
    key_id: Union[str, None]
    key_name: Union[str, None]
    via: Literal["api", "console", "operator"]
    # The id of the run, key, webhook or memory item
    target: Union[str, None]
    # More about the act, by action
    details: dict[str, Any]
    # The hash of the entry before it; null: it is the first
    previous_hash: Union[str, None]
    # SHA-256 of the canonical JSON (RFC 8785) of the other fields
    hash: str


class AuditList(TypedDict):
    entries: list[AuditEntry]
    next_cursor: Union[str, None]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class AwaitingInput(TypedDict):
    seq: int
    reason_code: str
    input_kind: Union[Literal["approval", "rejection", "payload"], None]
    # Ends in "…" if it does not show the arguments in full
    prompt: Union[str, None]
    # The tool that is called if the answer is `approve`
    tool: Union[str, None]
    # The arguments of the call in full, with tagged values masked
    arguments: Any
    # The approval is valid only for a call with this hash. Null if the answer can change the arguments
    arguments_hash: Union[str, None]
    # Why the service asks
    why: Union[str, None]
    # What the run has read so far
    has_read: Union[list[Literal["private", "untrusted", "sensitive"]], None]
    # The id of the call, as in the events
    tool_call_id: Union[str, None]
    # The idempotency key that the call has on the other side
    idempotency_key: Union[str, None]
    since: str
    expires_at: str


class Budget(TypedDict):
    # Its path below `/v1/budgets/`: `customer`, or such as `workspaces/acme-finance` and `subjects/user-42`
    id: str
    level: Literal["customer", "workspace", "subject"]
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    period: Literal["day", "month"]
    tokens: int
    # Tokens used in the current period
    used: int
    # Never below 0
    remaining: int
    # When the current period ends
    resets_at: str
    created_at: str
    updated_at: str


class BudgetList(TypedDict):
    budgets: list[Budget]
    # Null: this is the last page
    next_cursor: Union[str, None]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class BudgetResult(TypedDict):
    budget: Budget
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class CreateKey(TypedDict):
    name: NotRequired[str]
    scopes: NotRequired[list[Literal["runs:read", "runs:write", "runs:signal", "runs:admin", "usage:read", "memory:read", "keys:admin", "webhooks:admin", "audit:read"]]]
    # Must be in the future
    expires_at: NotRequired[str]


class CreateRun(TypedDict):
    # Initial context. At most 256 KB together with `metadata`. With the sandbox model, `sandbox` is the script of the run
    input: dict[str, Any]
    # Arbitrary metadata; may be empty. If the service has agents, `agent` names the one of the run. If the service has a list of allowed models, `model` chooses one of them
    metadata: dict[str, Any]
    workspace_id: NotRequired[str]
    subject_id: NotRequired[str]
    attachment_refs: NotRequired[list[str]]
    sensitivity_tags: NotRequired[list[SensitivityTag]]
    routing_hint: NotRequired[Literal["skip_planning", "require_planning"]]
    run_class: NotRequired[Literal["default", "short", "long"]]
    streaming: NotRequired[bool]
    plan: NotRequired[Plan]


class CreateSchedule(TypedDict):
    name: NotRequired[str]
    # Five fields: minute, hour, day of the month, month, day of the week
    cron: str
    # The IANA time zone of the expression, such as `Europe/Berlin`. Default: `UTC`
    time_zone: NotRequired[str]
    # What becomes of ticks that the service missed: `skip` creates no run for those older than 1 minute, `latest` creates one for the latest, `all` creates one for each of the latest 100. Default: `skip`
    catch_up: NotRequired[Literal["skip", "latest", "all"]]
    # The body of `POST /v1/runs`
    run: CreateRun


class CreateWebhook(TypedDict):
    # An https URL on the public Internet, on port 443
    url: str
    # The events to receive. Default: `run.worker.succeeded`, `run.worker.failed`, `run.cancelled`, `run.limit_exceeded`, `run.awaiting_input`
    event_types: NotRequired[list[Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received"]]]


class CreatedRun(TypedDict):
    id: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    run_class: Literal["default", "short", "long"]
    metadata: dict[str, Any]
    event_payload: dict[str, Any]
    replayed: bool
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class CustomerEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received"]
    timestamp: str
    payload: dict[str, Any]


class DeletedBudget(TypedDict):
    # Its path below `/v1/budgets/`: `customer`, or such as `workspaces/acme-finance` and `subjects/user-42`
    id: str
    deleted: Literal[True]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class DeletedMemoryItem(TypedDict):
    id: str
    deleted: Literal[True]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class DeletedRun(TypedDict):
    id: str
    deleted: Literal[True]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class DeletedSchedule(TypedDict):
    id: str
    deleted: Literal[True]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class DeletedWebhook(TypedDict):
    id: str
    deleted: Literal[True]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class Delivery(TypedDict):
    # The `webhook-id` of the message: the id of the run, `_` and the `seq`
    id: str
    # A test has the id of a run that does not exist
    run_id: str
    seq: int
    type: Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received", "webhook.test"]
    state: Literal["pending", "delivered", "given_up"]
    event_at: str
    attempts: int
    last_attempt_at: Union[str, None]
    # Null: it was delivered or given up
    next_attempt_at: Union[str, None]
    # Of the last attempt; null without a response
    response_status: Union[int, None]
    # Why the last attempt failed
    error: Union[str, None]


class DeliveryList(TypedDict):
    deliveries: list[Delivery]
    # Null: this is the last page
    next_cursor: Union[str, None]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class DeliveryResult(TypedDict):
    delivery: Delivery
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class Dependencies(TypedDict):
    status: Literal["ok", "down"]
    checked_at: str
    dependencies: dict[str, Any]
    # The version of the service. Only with a key
    version: NotRequired[str]
    # The version of Node.js that executes it. Only with a key
    node_version: NotRequired[str]
    # For how long a transaction has held a snapshot of the database. Only if that is more than five minutes
    held_snapshot_seconds: NotRequired[int]
    # Models that are not called for a while because they failed several times in a row. Only with a key
    breakers: NotRequired[list[dict[str, Any]]]
    # The MCP servers of each process that executes runs. Only with a key
    mcp_servers: NotRequired[list[dict[str, Any]]]
    # Tools of MCP servers whose definition differs from the one first seen or last accepted. Only with a key
    mcp_changes: NotRequired[list[dict[str, Any]]]


class DependenciesDown(TypedDict):
    status: Literal["ok", "down"]
    checked_at: str
    dependencies: dict[str, Any]
    # The version of the service. Only with a key
    version: NotRequired[str]
    # The version of Node.js that executes it. Only with a key
    node_version: NotRequired[str]
    # For how long a transaction has held a snapshot of the database. Only if that is more than five minutes
    held_snapshot_seconds: NotRequired[int]
    # Models that are not called for a while because they failed several times in a row. Only with a key
    breakers: NotRequired[list[dict[str, Any]]]
    # The MCP servers of each process that executes runs. Only with a key
    mcp_servers: NotRequired[list[dict[str, Any]]]
    # Tools of MCP servers whose definition differs from the one first seen or last accepted. Only with a key
    mcp_changes: NotRequired[list[dict[str, Any]]]
    error: Literal["bad_request", "unauthorized", "forbidden", "not_found", "conflict", "gone", "rate_limited", "internal_error", "unavailable"]
    reason_code: Literal["IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID", "INPUT_PAYLOAD_INVALID", "INPUT_PAYLOAD_TOO_LARGE", "INPUT_SENSITIVITY_TAG_REQUIRED", "INPUT_SENSITIVITY_TAG_INVALID_PATH", "INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION", "INPUT_SENSITIVITY_TAG_DUPLICATE_PATH", "INPUT_PLAN_INVALID", "SIGNAL_PAYLOAD_INVALID", "USAGE_QUERY_PARAMS_INVALID", "EVENTS_QUERY_PARAMS_INVALID", "MEMORY_QUERY_PARAMS_INVALID", "RUNS_QUERY_PARAMS_INVALID", "BUDGETS_QUERY_PARAMS_INVALID", "SCHEDULES_QUERY_PARAMS_INVALID", "WEBHOOKS_QUERY_PARAMS_INVALID", "KEY_PAYLOAD_INVALID", "BUDGET_PAYLOAD_INVALID", "WEBHOOK_PAYLOAD_INVALID", "SCHEDULE_PAYLOAD_INVALID", "AUDIT_QUERY_PARAMS_INVALID", "CONTENT_ENCODING_UNSUPPORTED", "REQUEST_MALFORMED", "AUTH_HEADER_MISSING", "AUTH_HEADER_MALFORMED", "API_KEY_INVALID", "API_KEY_REVOKED", "API_KEY_EXPIRED", "SCOPE_DENIED", "CUSTOMER_SUSPENDED", "RUN_NOT_FOUND", "MEMORY_ITEM_NOT_FOUND", "KEY_NOT_FOUND", "BUDGET_NOT_FOUND", "WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND", "SCHEDULE_NOT_FOUND", "ROUTE_NOT_FOUND", "IDEMPOTENCY_KEY_CONFLICT", "LIMIT_REACHED", "RUN_STATE_CONFLICT", "STEP_NOT_FINISHED", "RUN_NOT_AWAITING_INPUT", "IDEMPOTENCY_KEY_EXPIRED", "WEBHOOK_DISABLED", "RATE_LIMITED", "STREAM_LIMIT_REACHED", "QUEUE_LIMIT_REACHED", "INTERNAL_ERROR", "SIGNAL_SERVICE_UNAVAILABLE", "OVERLOADED", "SHUTTING_DOWN", "CUSTOMER_MOVING", "CELL_UNAVAILABLE", "QUERY_TOO_EXPENSIVE", "DATABASE_UNAVAILABLE"]
    # What is wrong, where, and how to fix it
    message: str
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class Error(TypedDict):
    error: Literal["bad_request", "unauthorized", "forbidden", "not_found", "conflict", "gone", "rate_limited", "internal_error", "unavailable"]
    reason_code: Literal["IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID", "INPUT_PAYLOAD_INVALID", "INPUT_PAYLOAD_TOO_LARGE", "INPUT_SENSITIVITY_TAG_REQUIRED", "INPUT_SENSITIVITY_TAG_INVALID_PATH", "INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION", "INPUT_SENSITIVITY_TAG_DUPLICATE_PATH", "INPUT_PLAN_INVALID", "SIGNAL_PAYLOAD_INVALID", "USAGE_QUERY_PARAMS_INVALID", "EVENTS_QUERY_PARAMS_INVALID", "MEMORY_QUERY_PARAMS_INVALID", "RUNS_QUERY_PARAMS_INVALID", "BUDGETS_QUERY_PARAMS_INVALID", "SCHEDULES_QUERY_PARAMS_INVALID", "WEBHOOKS_QUERY_PARAMS_INVALID", "KEY_PAYLOAD_INVALID", "BUDGET_PAYLOAD_INVALID", "WEBHOOK_PAYLOAD_INVALID", "SCHEDULE_PAYLOAD_INVALID", "AUDIT_QUERY_PARAMS_INVALID", "CONTENT_ENCODING_UNSUPPORTED", "REQUEST_MALFORMED", "AUTH_HEADER_MISSING", "AUTH_HEADER_MALFORMED", "API_KEY_INVALID", "API_KEY_REVOKED", "API_KEY_EXPIRED", "SCOPE_DENIED", "CUSTOMER_SUSPENDED", "RUN_NOT_FOUND", "MEMORY_ITEM_NOT_FOUND", "KEY_NOT_FOUND", "BUDGET_NOT_FOUND", "WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND", "SCHEDULE_NOT_FOUND", "ROUTE_NOT_FOUND", "IDEMPOTENCY_KEY_CONFLICT", "LIMIT_REACHED", "RUN_STATE_CONFLICT", "STEP_NOT_FINISHED", "RUN_NOT_AWAITING_INPUT", "IDEMPOTENCY_KEY_EXPIRED", "WEBHOOK_DISABLED", "RATE_LIMITED", "STREAM_LIMIT_REACHED", "QUEUE_LIMIT_REACHED", "INTERNAL_ERROR", "SIGNAL_SERVICE_UNAVAILABLE", "OVERLOADED", "SHUTTING_DOWN", "CUSTOMER_MOVING", "CELL_UNAVAILABLE", "QUERY_TOO_EXPENSIVE", "DATABASE_UNAVAILABLE"]
    # What is wrong, where, and how to fix it
    message: str
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


Event = Union["RunCreatedEvent", "RunWorkerStartedEvent", "RunWorkerSucceededEvent", "RunWorkerFailedEvent", "RunWorkerStalledEvent", "RunWorkerRetryScheduledEvent", "RunCancelledEvent", "RunResumedEvent", "RunLimitExceededEvent", "StepProgressEvent", "StepDoneEvent", "RunToolInvokedEvent", "RunCoordinationDecisionEvent", "RunAwaitingInputEvent", "RunSignalAppliedEvent", "RunInputReceivedEvent"]


class EventPage(TypedDict):
    events: list[Event]
    next_cursor: int
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class ForkRun(TypedDict):
    # The last step that is kept: the id of a finished step. The fork keeps it with all that the run finished before it, and executes the rest
    from_step: str
    # Replaces the input. Default: that of the run, including its tagged values
    input: NotRequired[dict[str, Any]]
    # Replaces the metadata. Default: that of the run
    metadata: NotRequired[dict[str, Any]]
    # Tags in addition to those of the run
    sensitivity_tags: NotRequired[list[SensitivityTag]]


class ForkedFrom(TypedDict):
    # The run may have been removed since
    run_id: str
    # The last step that was kept
    step_id: str


class GateStep(TypedDict):
    # Generated if omitted
    id: NotRequired[str]
    # Ids of the steps that must finish first. Default: the preceding step. `[]`: none; the step starts at once
    depends_on: NotRequired[list[str]]
    # Pauses the run until a signal arrives; the payload of the signal is the output of the step
    await_input: dict[str, Any]


class Key(TypedDict):
    id: str
    name: Union[str, None]
    scopes: list[Literal["runs:read", "runs:write", "runs:signal", "runs:admin", "usage:read", "memory:read", "keys:admin", "webhooks:admin", "audit:read"]]
    created_at: str
    # When it was created, rotated or revoked
    updated_at: str
    expires_at: Union[str, None]
    revoked_at: Union[str, None]
    last_used_at: Union[str, None]


class KeyDetail(TypedDict):
    key: Key
    leaves: KeyLeaves
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class KeyLeaves(TypedDict):
    # Schedules that are not paused, and whose `run` or times the key set last, for example when it created them
    schedules: list[dict[str, Any]]
    # Webhooks that are not paused, and whose URL the key set, for example when it created them
    webhooks: list[dict[str, Any]]
    # Valid keys whose secret the key was shown: it created them or rotated them last
    keys: list[dict[str, Any]]


class KeyList(TypedDict):
    keys: list[Key]
    # Null: this is the last page
    next_cursor: Union[str, None]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class KeyResult(TypedDict):
    key: Key
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class KeyWithSecret(TypedDict):
    key: Key
    # Shown only once
    secret: str
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class ListedRun(TypedDict):
    id: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    run_class: Literal["default", "short", "long"]
    metadata: dict[str, Any]
    event_payload: dict[str, Any]
    # One line of at most 120 characters, made when the run is created: `metadata.title`, else the goal of the input or the plan, else the first text of the input. Tagged values are masked
    title: NotRequired[Union[str, None]]
    agent: NotRequired[Union[RunAgent, None]]
    awaiting_input: NotRequired[Union[AwaitingInput, None]]
    failure: NotRequired[Union[RunFailure, None]]
    limits: NotRequired[Union[RunLimits, None]]
    usage: NotRequired[Union[RunUsage, None]]
    forked_from: NotRequired[Union[ForkedFrom, None]]
    # All steps, in the order of the plan
    steps: NotRequired[Union[list[RunStep], None]]
    # `event_payload.value.output` alone. Null until the run has succeeded
    output: NotRequired[Any]


class ListedSchedule(TypedDict):
    id: str
    name: Union[str, None]
    # Five fields: minute, hour, day of the month, month, day of the week
    cron: str
    # The IANA time zone of the expression, such as `Europe/Berlin`
    time_zone: str
    # What becomes of ticks that the service missed: `skip` creates no run for those older than 1 minute, `latest` creates one for the latest, `all` creates one for each of the latest 100
    catch_up: Literal["skip", "latest", "all"]
    paused: bool
    # The next tick. Null while the schedule is paused
    next_at: Union[str, None]
    # The last tick that created a run
    last_at: Union[str, None]
    # The run that it created
    last_run_id: Union[str, None]
    # Why the latest tick has created no run. Null if it has created one
    last_error: Union[ScheduleError, None]
    # How many ticks have created no run: missed, or refused. At most 100 are counted at once
    missed: int
    created_at: str
    # When it was created or changed. Ticks do not count
    updated_at: str


class Live(TypedDict):
    status: Literal["ok"]


class MemoryExport(TypedDict):
    files: list[dict[str, Any]]


class MemoryItem(TypedDict):
    id: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    run_id: Union[str, None]
    kind: Literal["fact", "preference", "procedure", "episode"]
    status: Literal["active", "superseded", "archived"]
    harness: bool
    title: str
    content: str
    tags: list[str]
    confidence: Union[float, None]
    superseded_by: Union[str, None]
    embedding_model: Union[str, None]
    created_at: str
    updated_at: str
    # Only for a single item with `include_embedding=true`
    embedding: NotRequired[Union[list[float], None]]


class MemoryList(TypedDict):
    items: list[MemoryItem]
    limit: int
    offset: int


class NotReady(TypedDict):
    error: Literal["bad_request", "unauthorized", "forbidden", "not_found", "conflict", "gone", "rate_limited", "internal_error", "unavailable"]
    reason_code: Literal["IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID", "INPUT_PAYLOAD_INVALID", "INPUT_PAYLOAD_TOO_LARGE", "INPUT_SENSITIVITY_TAG_REQUIRED", "INPUT_SENSITIVITY_TAG_INVALID_PATH", "INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION", "INPUT_SENSITIVITY_TAG_DUPLICATE_PATH", "INPUT_PLAN_INVALID", "SIGNAL_PAYLOAD_INVALID", "USAGE_QUERY_PARAMS_INVALID", "EVENTS_QUERY_PARAMS_INVALID", "MEMORY_QUERY_PARAMS_INVALID", "RUNS_QUERY_PARAMS_INVALID", "BUDGETS_QUERY_PARAMS_INVALID", "SCHEDULES_QUERY_PARAMS_INVALID", "WEBHOOKS_QUERY_PARAMS_INVALID", "KEY_PAYLOAD_INVALID", "BUDGET_PAYLOAD_INVALID", "WEBHOOK_PAYLOAD_INVALID", "SCHEDULE_PAYLOAD_INVALID", "AUDIT_QUERY_PARAMS_INVALID", "CONTENT_ENCODING_UNSUPPORTED", "REQUEST_MALFORMED", "AUTH_HEADER_MISSING", "AUTH_HEADER_MALFORMED", "API_KEY_INVALID", "API_KEY_REVOKED", "API_KEY_EXPIRED", "SCOPE_DENIED", "CUSTOMER_SUSPENDED", "RUN_NOT_FOUND", "MEMORY_ITEM_NOT_FOUND", "KEY_NOT_FOUND", "BUDGET_NOT_FOUND", "WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND", "SCHEDULE_NOT_FOUND", "ROUTE_NOT_FOUND", "IDEMPOTENCY_KEY_CONFLICT", "LIMIT_REACHED", "RUN_STATE_CONFLICT", "STEP_NOT_FINISHED", "RUN_NOT_AWAITING_INPUT", "IDEMPOTENCY_KEY_EXPIRED", "WEBHOOK_DISABLED", "RATE_LIMITED", "STREAM_LIMIT_REACHED", "QUEUE_LIMIT_REACHED", "INTERNAL_ERROR", "SIGNAL_SERVICE_UNAVAILABLE", "OVERLOADED", "SHUTTING_DOWN", "CUSTOMER_MOVING", "CELL_UNAVAILABLE", "QUERY_TOO_EXPENSIVE", "DATABASE_UNAVAILABLE"]
    # What is wrong, where, and how to fix it
    message: str
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    status: Literal["unavailable"]


class Plan(TypedDict):
    version: NotRequired[Literal["v2"]]
    goal: NotRequired[str]
    # When the judge is asked: after each agent step, only after the last step, or never. Default: as the agent says, else `each_step`
    judge: NotRequired[Literal["each_step", "end", "never"]]
    steps: list[Union[AgentStep, ToolStep, GateStep]]


class PutBudget(TypedDict):
    period: Literal["day", "month"]
    # 0 stops every run
    tokens: int


class Ready(TypedDict):
    status: Literal["ok", "unavailable"]


class Redeliver(TypedDict):
    # The `id` of the delivery
    delivery_id: str


class RotateKey(TypedDict):
    # How long the current secret stays valid. 0 ends all old secrets at once. Default: 3600
    overlap_seconds: NotRequired[int]


class RotateWebhook(TypedDict):
    # How long messages are signed with the current secret, too. 0 ends all old secrets at once. Default: 86400
    overlap_seconds: NotRequired[int]


class Run(TypedDict):
    id: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    run_class: Literal["default", "short", "long"]
    metadata: dict[str, Any]
    event_payload: dict[str, Any]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class RunAgent(TypedDict):
    # The agent of the run. Null if only steps of its plan have one
    name: Union[str, None]
    # The hash of its definition. Null before the run is first executed
    hash: Union[str, None]
    # The hash of all agents of the service when the run was first executed. The run uses those to its end
    set_hash: Union[str, None]


class RunAwaitingInputEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.awaiting_input"]
    timestamp: str
    payload: dict[str, Any]


class RunAwaitingInputPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    # A code of the service, or of the plan or the script of the run
    reason_code: str
    # What kind of answer is expected. Every action is accepted
    input_kind: NotRequired[Literal["approval", "rejection", "payload"]]


class RunCancelledEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.cancelled"]
    timestamp: str
    payload: dict[str, Any]


class RunCancelledPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["cancelled"]
    reason_code: NotRequired[Literal["signal_timeout"]]


class RunCoordinationDecisionEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.coordination.decision"]
    timestamp: str
    payload: dict[str, Any]


class RunCoordinationDecisionPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    decision_type: Literal["continue", "replan", "stop", "await_input"]
    # A code of the service, or of the plan or the script of the run
    reason_code: str
    role: Literal["planner", "worker", "judge"]
    # What the judge decided, in its words
    judge_decision: NotRequired[dict[str, Any]]


class RunCounts(TypedDict):
    counts: dict[str, Any]
    # False if there are more than the 10,000 runs that were looked at
    complete: bool
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class RunCreatedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.created"]
    timestamp: str
    payload: dict[str, Any]


class RunCreatedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    # Removed on every read
    input: NotRequired[dict[str, Any]]
    # Removed on every read
    metadata: NotRequired[dict[str, Any]]
    # Removed on every read
    attachment_refs: NotRequired[list[str]]
    # Removed on every read
    sensitivity_tags: NotRequired[list[SensitivityTag]]
    # As in the request
    streaming: NotRequired[bool]
    # As in the request
    routing_hint: NotRequired[Literal["skip_planning", "require_planning"]]
    # Which role begins, and why
    routing: NotRequired[dict[str, Any]]


class RunDetail(TypedDict):
    id: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    run_class: Literal["default", "short", "long"]
    metadata: dict[str, Any]
    event_payload: dict[str, Any]
    # One line of at most 120 characters, made when the run is created: `metadata.title`, else the goal of the input or the plan, else the first text of the input. Tagged values are masked
    title: NotRequired[Union[str, None]]
    awaiting_input: NotRequired[Union[AwaitingInput, None]]
    input: NotRequired[Union[RunInput, None]]
    signals: NotRequired[list[RunSignal]]
    plan: NotRequired[Union[Plan, None]]
    agent: NotRequired[Union[RunAgent, None]]
    limits: NotRequired[Union[RunLimits, None]]
    usage: NotRequired[Union[RunUsage, None]]
    failure: NotRequired[Union[RunFailure, None]]
    forked_from: NotRequired[Union[ForkedFrom, None]]
    # All steps, in the order of the plan
    steps: NotRequired[Union[list[RunStep], None]]
    # `event_payload.value.output` alone. Null until the run has succeeded
    output: NotRequired[Any]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class RunFailure(TypedDict):
    reason_code: str
    message: Union[str, None]
    seq: int


class RunInput(TypedDict):
    # As sent, with tagged values masked or removed; "***" if it is tagged as a whole
    input: Any
    # Likewise
    metadata: Any
    attachment_refs: list[str]
    # Who created the run. Null: the service itself, because a schedule was due
    created_by: Union[dict[str, Any], None]


class RunInputReceivedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.input_received"]
    timestamp: str
    payload: dict[str, Any]


class RunInputReceivedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    action: Literal["submit_input"]


class RunLimitExceededEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.limit_exceeded"]
    timestamp: str
    payload: dict[str, Any]


class RunLimitExceededPayload(TypedDict):
    limitType: Literal["cost_ceiling", "duration_limit"]
    # What the run has used
    currentValue: float
    # The limit of the run
    threshold: float
    unit: Literal["tokens", "seconds"]


class RunLimits(TypedDict):
    tokens: int
    duration_seconds: float
    signal_timeout_seconds: float


class RunList(TypedDict):
    runs: list[ListedRun]
    next_cursor: Union[str, None]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class RunResumedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.resumed"]
    timestamp: str
    payload: dict[str, Any]


class RunResumedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["running", "queued"]


class RunSignal(TypedDict):
    # The `seq` of its event
    seq: int
    action: Literal["approve", "reject", "submit_input"]
    at: str
    # The API key that sent the signal
    key_id: str
    # Its name at that time
    key_name: Union[str, None]
    # What the signal responds to
    asked: dict[str, Any]
    # With tagged values masked
    payload: Any
    # How the call ended, if the signal says so
    call: Union[AnsweredCall, None]


class RunSignalAppliedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.signal_applied"]
    timestamp: str
    payload: dict[str, Any]


class RunSignalAppliedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    action: Literal["approve", "reject"]


class RunStep(TypedDict):
    # As in the plan; `planner`; or `#0`, `#1` … in a run without a plan
    id: str
    # As in the events. Null for a gate, which has none
    task_id: Union[str, None]
    kind: Literal["agent", "tool", "gate", "planner"]
    # `waiting`: for a person. `skipped`: it never began, and never will unless the run is retried
    state: Literal["pending", "running", "waiting", "succeeded", "failed", "skipped"]
    attempts: int
    # Null until something is known of it, such as the first answer of a model
    started_at: Union[str, None]
    ended_at: Union[str, None]
    # The text of a step that has succeeded
    content: Union[str, None]
    # Its structured output, or the answer to a gate. Null if there is none, and a day after the run has ended
    output: Any
    error: Union[dict[str, Any], None]


class RunToolInvokedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.tool.invoked"]
    timestamp: str
    payload: dict[str, Any]


class RunToolInvokedPayload(TypedDict):
    # The same in `step.progress`, and sent to the tool
    tool_call_id: str
    tool_name: str
    tool_outcome: Literal["succeeded", "failed", "timeout", "policy_denied"]
    # A shortened form without sensitive values
    tool_input_summary: ToolSummary
    # The same for what the tool returned
    tool_output_summary: ToolSummary
    # Why the call was denied; otherwise null
    policy_reason_code: Union[str, None]
    duration_ms: float


class RunUsage(TypedDict):
    tokens: int
    steps: int
    tool_calls: int


class RunWorkerFailedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.failed"]
    timestamp: str
    payload: dict[str, Any]


class RunWorkerFailedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    # A code of the service, or of the plan or the script of the run
    reason_code: Union[str, None]


class RunWorkerRetryScheduledEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.retry_scheduled"]
    timestamp: str
    payload: dict[str, Any]


class RunWorkerRetryScheduledPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    # A code of the service, or of the plan or the script of the run
    reason_code: Union[str, None]


class RunWorkerStalledEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.stalled"]
    timestamp: str
    payload: dict[str, Any]


class RunWorkerStalledPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    # A code of the service, or of the plan or the script of the run
    reason_code: Union[str, None]


class RunWorkerStartedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.started"]
    timestamp: str
    payload: dict[str, Any]


class RunWorkerStartedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    # A code of the service, or of the plan or the script of the run
    reason_code: Union[str, None]


class RunWorkerSucceededEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.succeeded"]
    timestamp: str
    payload: dict[str, Any]


class RunWorkerSucceededPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    # A code of the service, or of the plan or the script of the run
    reason_code: Union[str, None]


class RunsChanged(TypedDict):
    # Runs that are new on the page or have changed
    put: list[ListedRun]
    # Runs that are no longer on the page
    gone: list[str]
    # Of the list, for the runs after those of the stream
    next_cursor: Union[str, None]


class RunsPage(TypedDict):
    runs: list[ListedRun]
    # Of the list, for the runs after those of the stream
    next_cursor: Union[str, None]


class SandboxScript(TypedDict):
    steps: NotRequired[list[dict[str, Any]]]


class Schedule(TypedDict):
    id: str
    name: Union[str, None]
    # Five fields: minute, hour, day of the month, month, day of the week
    cron: str
    # The IANA time zone of the expression, such as `Europe/Berlin`
    time_zone: str
    # What becomes of ticks that the service missed: `skip` creates no run for those older than 1 minute, `latest` creates one for the latest, `all` creates one for each of the latest 100
    catch_up: Literal["skip", "latest", "all"]
    paused: bool
    # The next tick. Null while the schedule is paused
    next_at: Union[str, None]
    # The last tick that created a run
    last_at: Union[str, None]
    # The run that it created
    last_run_id: Union[str, None]
    # Why the latest tick has created no run. Null if it has created one
    last_error: Union[ScheduleError, None]
    # How many ticks have created no run: missed, or refused. At most 100 are counted at once
    missed: int
    created_at: str
    # When it was created or changed. Ticks do not count
    updated_at: str
    # As sent, with tagged values masked or removed
    run: dict[str, Any]


class ScheduleError(TypedDict):
    # As in the response to a create
    reason_code: str
    message: str
    at: str


class ScheduleList(TypedDict):
    schedules: list[ListedSchedule]
    # Null: this is the last page
    next_cursor: Union[str, None]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class ScheduleResult(TypedDict):
    schedule: Schedule
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class SensitivityTag(TypedDict):
    # RFC 9535 JSONPath that starts with `$.input` or `$.metadata`
    path: str
    classification: Literal["pii", "financial", "health", "credential", "proprietary"]
    redaction: NotRequired[Literal["mask", "drop"]]
    # Who may receive the value from a model without approval: `tool:<name>`, or `host:<name>` for `http_fetch`. Default: no one
    allow: NotRequired[list[str]]
    # Shortens the retention of the run, if the service has one; never lengthens it
    retention_hint_days: NotRequired[int]


class Signal(TypedDict):
    action: Literal["approve", "reject", "submit_input"]
    # Any JSON: the `reason` of a `reject`, the data of a `submit_input`
    payload: NotRequired[Any]
    idempotency_key: NotRequired[str]
    # The `seq` of the `run.awaiting_input` event that this signal responds to
    await_seq: NotRequired[int]
    # With `submit_input` and without `payload`, while the run waits with `tool_outcome_unknown`
    call: NotRequired[AnsweredCall]


class SignalResult(TypedDict):
    ok: Literal[True]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class StepDoneEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["step.done"]
    timestamp: str
    payload: dict[str, Any]


class StepDonePayload(TypedDict):
    # The step. It stays the same when the step is tried again
    task_id: NotRequired[str]
    # The result: the text of an agent step, the output of a tool step as JSON
    content: str
    # `retry_step`: the step is tried again. `fail_run`: the run fails
    outcome: Literal["succeeded", "retry_step", "fail_run"]
    # A code of the service, or of the plan or the script of the run
    reason_code: NotRequired[str]
    # What the model provider said, if its call failed
    provider_error_message: NotRequired[str]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: NotRequired[str]


class StepProgressEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["step.progress"]
    timestamp: str
    payload: dict[str, Any]


class StepProgressPayload(TypedDict):
    # The step. It stays the same when the step is tried again
    task_id: NotRequired[str]
    kind: Literal["content_delta", "tool_call_start", "tool_call_done"]
    # With kind `content_delta`: the text to append
    content_delta: NotRequired[str]
    # With the other kinds: the call
    tool_call_id: NotRequired[str]
    tool_name: NotRequired[str]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: NotRequired[str]


class Tool(TypedDict):
    # The value for `tool` and `tools` of a plan step
    name: str
    # What models read. Text of an MCP server is not trusted
    description: str
    source: Literal["built-in", "own", "mcp"]
    # For `own`: the module that defines the tool
    file: Union[str, None]
    # For `mcp`: the name of the MCP server
    server: Union[str, None]
    # JSON Schema of the arguments
    input_schema: dict[str, Any]
    # What a call changes. `read`: nothing; `idempotent`: a repeated call has no further effect; `once`: a call must not be repeated. Null: it depends on the arguments
    effect: Union[Literal["read", "idempotent", "once"], None]
    # What a call touches. Null: it depends on the arguments
    exposure: Union[ToolExposure, None]
    policy: ToolPolicy


class ToolExposure(TypedDict):
    # A call returns data that is not public
    reads_private: bool
    # A call returns text that third parties can write
    takes_untrusted: bool
    # A call can pass data to third parties
    sends_out: bool


class ToolList(TypedDict):
    tools: list[Tool]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class ToolPolicy(TypedDict):
    # `allow`: a call is made; `ask`: it is made after approval; `deny`: it is not made. A run can be stricter
    rule: Literal["allow", "ask", "deny"]
    # The rule and its conditions, in words
    description: str


class ToolStep(TypedDict):
    # Generated if omitted
    id: NotRequired[str]
    # Ids of the steps that must finish first. Default: the preceding step. `[]`: none; the step starts at once
    depends_on: NotRequired[list[str]]
    # Default: 3
    max_attempts: NotRequired[int]
    # After this time the run is stalled. Default and maximum: the step timeout of the service; a larger value is reduced to it
    timeout_seconds: NotRequired[float]
    # Wait for approval before the step
    approval: NotRequired[Literal["required"]]
    # Called directly, without a model
    tool: str
    # May contain templates. Default: `{}`
    input: NotRequired[dict[str, Any]]


class ToolSummary(TypedDict):
    schema_version: Literal["v1"]
    preview: Union[str, None]
    highlights: list[dict[str, Any]]
    stats: dict[str, Any]
    truncated: bool


Turn = TypedDict("Turn", {
    "seq": "int",
    "attempt": "int",
    "role": "Literal['planner', 'worker', 'judge', 'summary']",
    "task_id": "str",
    "step_id": "str",
    "call": "str",
    "try": "int",
    "model": "str",
    "prompt_version": "str",
    "messages": "list[TurnMessage]",
    "tools": "list[str]",
    "parameters": "dict[str, Any]",
    "output_schema": "bool",
    "outcome": "Literal['reply', 'failure', 'aborted']",
    "reply": "Union[dict[str, Any], None]",
    "failure": "Union[dict[str, Any], None]",
    "usage": "Union[dict[str, Any], None]",
    "first_token_ms": "Union[float, None]",
    "duration_ms": "float",
    "started_at": "str",
    "truncated": "bool",
})


TurnMessage = Union[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]


class TurnPage(TypedDict):
    turns: list[Turn]
    next_after: int
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class UpdateSchedule(TypedDict):
    name: NotRequired[str]
    # Five fields: minute, hour, day of the month, month, day of the week
    cron: NotRequired[str]
    # The IANA time zone of the expression, such as `Europe/Berlin`
    time_zone: NotRequired[str]
    # What becomes of ticks that the service missed: `skip` creates no run for those older than 1 minute, `latest` creates one for the latest, `all` creates one for each of the latest 100
    catch_up: NotRequired[Literal["skip", "latest", "all"]]
    # Replaces the whole body
    run: NotRequired[CreateRun]
    # A paused schedule creates no runs, and catches up on nothing
    paused: NotRequired[bool]


class UpdateWebhook(TypedDict):
    # An https URL on the public Internet, on port 443
    url: NotRequired[str]
    # The events to receive from now on
    event_types: NotRequired[list[Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received"]]]
    # `false` resumes it, also after the endpoint answered 410 or kept failing
    paused: NotRequired[bool]


class Usage(TypedDict):
    usage: list[UsageRow]
    period: dict[str, Any]
    granularity: Literal["hour", "day", "month"]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class UsageEvent(TypedDict):
    event_type: str
    quantity: int
    at: str
    run_id: str
    # Opaque; unique within the run
    key: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    # Of tokens: `input`, `output`, `cached` and `reasoning` tokens; `estimated` if the provider gave no count
    details: NotRequired[dict[str, Any]]


class UsageEventPage(TypedDict):
    events: list[UsageEvent]
    next_cursor: Union[str, None]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class UsageRow(TypedDict):
    event_type: str
    count: int
    total_quantity: int
    # `2026-11-15T02:00:00Z`, `2026-11-15` or `2026-11`
    period: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]


class Webhook(TypedDict):
    id: str
    url: str
    # The events that it receives
    event_types: list[Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received"]]
    # Whether it was paused. Messages wait until it is resumed, for 4 days at most
    paused: bool
    created_at: str
    # When it was created, changed, rotated or disabled
    updated_at: str
    # The endpoint answered 410: nothing is sent until the webhook is resumed. Otherwise null
    disabled_at: Union[str, None]
    # The endpoint failed 5 times in a row: nothing is sent until then. Otherwise null
    paused_until: Union[str, None]


class WebhookList(TypedDict):
    webhooks: list[Webhook]
    # Null: this is the last page
    next_cursor: Union[str, None]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class WebhookMessage(TypedDict):
    type: Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received", "webhook.test"]
    # The time of the event
    timestamp: str
    data: dict[str, Any]


class WebhookResult(TypedDict):
    webhook: Webhook
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class WebhookWithSecret(TypedDict):
    webhook: Webhook
    # Begins with `whsec_`. Shown only once
    secret: str
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str

