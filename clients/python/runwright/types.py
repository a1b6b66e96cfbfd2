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
    # Null: all skills
    skills: Union[list[str], None]
    # When a model judges the steps of the agent
    judge: Union[Literal["each_step", "end", "never"], str]
    # Null: the limit of the service
    max_turns: Union[int, None]
    # JSON Schema of the result
    output_schema: Union[dict[str, Any], None]
    # What the answers of its steps are graded against
    rubric: Union[dict[str, Any], None]


class AgentList(TypedDict):
    agents: list[Agent]
    skills: list[Skill]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class AgentStep(TypedDict):
    # Generated if omitted
    id: NotRequired[str]
    # Ids of the steps that must finish first. Default: the preceding step. `[]`: none; the step starts at once
    depends_on: NotRequired[list[str]]
    # Default: 3
    max_attempts: NotRequired[int]
    # After this time the run is stalled. Default and maximum: the step timeout of the service. A larger value is refused in a plan of a client, and reduced in one of a planner
    timeout_seconds: NotRequired[float]
    # Wait for approval before the step: by anyone who may signal, or as these rules say
    approval: NotRequired[Union[Literal["required"], ApprovalRules]]
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
    # The call is not made. The model is told this reason, and goes on
    deny: NotRequired[str]
    # The call is made with these arguments. Not while the outcome of the call is unknown
    arguments: NotRequired[dict[str, Any]]
    # The call is not made: this is its result
    result: NotRequired[Any]
    # The call was made, and failed with this message. Only with `tool_outcome_unknown`
    error: NotRequired[str]


class ApprovalRules(TypedDict):
    # Who may decide: callers with one of these roles. Default: everyone who may send signals
    approvers: NotRequired[list[str]]
    # How many different people must give the same answer. Default: 1. One person is enough for a no
    approvals: NotRequired[int]
    # Who created the run may not decide. Default: false
    not_requester: NotRequired[bool]
    # Who decides must be a person who has signed in again within the last 5 minutes, not an API key. Default: false
    reauth: NotRequired[bool]
    # After this time `escalate_to` may decide, too
    escalate_after_seconds: NotRequired[int]
    escalate_to: NotRequired[list[str]]
    # JSON Schema of the `payload` of the answer: consoles show a form. A no needs no payload
    approval_schema: NotRequired[dict[str, Any]]


class AskedCall(TypedDict):
    # Names the call in `calls` of the signal
    call_id: str
    tool: str
    # In full, with tagged values masked
    arguments: Any
    arguments_hash: Union[str, None]
    arguments_schema: Union[dict[str, Any], None]
    why: str
    has_read: list[Union[Literal["private", "untrusted", "sensitive"], str]]
    idempotency_key: str


class AuditEntry(TypedDict):
    # The place in the chain of the customer, without gaps
    seq: int
    at: str
    action: Union[Literal["run.fork", "run.signal", "run.cancel", "run.retry", "run.resume", "run.delete", "run.link", "memory.delete", "key.create", "key.rotate", "key.revoke", "budget.set", "budget.delete", "schedule.create", "schedule.update", "schedule.delete", "webhook.create", "webhook.update", "webhook.rotate", "webhook.delete", "customer.create", "customer.suspend", "customer.resume", "customer.set_retention", "subject.erase", "person.sign_in", "person.update", "person.end_sessions"], str]
    # The API key that acted; null: the operator
    key_id: Union[str, None]
    key_name: Union[str, None]
    via: Union[Literal["api", "token", "console", "operator", "link"], str]
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
    reason_code: EventReason
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
    has_read: Union[list[Union[Literal["private", "untrusted", "sensitive"], str]], None]
    # The id of the call, as in the events
    tool_call_id: Union[str, None]
    # The idempotency key that the call has on the other side
    idempotency_key: Union[str, None]
    # The JSON Schema of the arguments, if it is known: what `call.arguments` of the signal must match
    arguments_schema: Union[dict[str, Any], None]
    # All calls that the answer can decide about, the one above first: `calls` of the signal answers several. Null without a call
    calls: Union[list[AskedCall], None]
    # What the `payload` of the answer must match. Null: anything
    approval_schema: Union[dict[str, Any], None]
    # The roles that may decide. Null: everyone who may send signals
    approvers: Union[list[str], None]
    # How many different people must give the same answer
    approvals: int
    # Who created the run may not decide
    not_requester: bool
    # Who decides must have signed in again within the last 5 minutes
    reauth: bool
    # The roles that may decide from `escalates_at` on, too
    escalate_to: Union[list[str], None]
    # Null: never
    escalates_at: Union[str, None]
    # The latest answer of each person so far, while others have to decide, too. Oldest first
    decisions: list[Decision]
    since: str
    expires_at: str


class Budget(TypedDict):
    # Its path below `/v1/budgets/`: `customer`, or such as `workspaces/acme-finance` and `subjects/user-42`
    id: str
    level: Union[Literal["customer", "workspace", "subject"], str]
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    period: Union[Literal["day", "month"], str]
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


class CreateDecisionLink(TypedDict):
    # The `seq` of the wait that it is for, as in `awaiting_input`
    await_seq: int
    # Who decides with it: the `person` of an API key with `runs:signal`. The roles of that key count
    person: NotRequired[str]
    # In place of a person: one of the roles that the question asks for. The answer names the role and no person
    role: NotRequired[str]
    # Seconds. The link ends earlier if the wait does
    expires_in: int


class CreateKey(TypedDict):
    name: NotRequired[str]
    scopes: NotRequired[list[Literal["runs:read", "runs:write", "runs:signal", "runs:admin", "usage:read", "memory:read", "keys:admin", "webhooks:admin", "audit:read", "tokens:create", "links:create"]]]
    # Only roles that the calling key has. The operator grants others with `runwright keys create --role`
    roles: NotRequired[list[str]]
    # Whose key it is, such as `ada@example.com`. Write it the same for all keys of a person: the case counts. It never changes
    person: NotRequired[str]
    # Must be in the future
    expires_at: NotRequired[str]


class CreateRun(TypedDict):
    # Initial context. At most 256 KB together with `metadata`. With the sandbox model, `sandbox` is the script of the run
    input: dict[str, Any]
    # Arbitrary metadata; may be empty. `include=input` returns it. If the service has agents, `agent` names the one of the run. If the service has a list of allowed models, `model` chooses one of them
    metadata: NotRequired[dict[str, Any]]
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


class CreateToken(TypedDict):
    # Of those of the key
    scopes: list[Literal["runs:read", "runs:write", "runs:signal", "runs:admin", "usage:read", "memory:read", "audit:read"]]
    # Seconds. The token ends earlier if its key does
    expires_in: int
    # The token sees and creates only the runs of this subject
    subject_id: NotRequired[str]
    # The token sees and creates only the runs of this workspace
    workspace_id: NotRequired[str]
    # The token sees only this run
    run_id: NotRequired[str]
    # If a request has an `Origin` header, it must be this one
    origin: NotRequired[str]


class CreateWebhook(TypedDict):
    # An https URL on the public Internet, on port 443
    url: str
    # Which webhook this is. A customer has one with each name, and without names one with each URL. If it is there already, nothing is changed
    name: NotRequired[str]
    # How the messages look. `slack` and `teams` are for the incoming webhooks of these chats: a message shows what is asked, and links to the page where it is answered. Default: `standard`
    format: NotRequired[Literal["standard", "slack", "teams"]]
    # The events to receive. Default: `run.worker.succeeded`, `run.worker.failed`, `run.cancelled`, `run.limit_exceeded`, `run.awaiting_input`. With `slack` and `teams` only `run.awaiting_input`, `run.signal_applied`, `run.input_received`, `run.worker.succeeded`, `run.worker.failed`, `run.cancelled`, `run.limit_exceeded`; default: `run.awaiting_input`, `run.signal_applied`, `run.input_received`
    event_types: NotRequired[list[Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received"]]]


class CreatedRunMetadata(TypedDict):
    created_at: str
    updated_at: str


class CreatedRunEventPayload(TypedDict):
    redacted: bool
    # Null until the run has succeeded
    value: Union[RunResult, None]


class CreatedRun(TypedDict):
    id: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    run_class: Literal["default", "short", "long"]
    # The times of the run. The metadata that it was created with is `input.metadata` of `include=input`
    metadata: CreatedRunMetadata
    event_payload: CreatedRunEventPayload
    replayed: bool
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    # The structured output. None if the run has none, or has not ended. The client adds it
    output: Any


class CreatedWebhook(TypedDict):
    webhook: Webhook
    # Begins with `whsec_`. Shown only once. Null: the webhook was there already, and nothing was changed
    secret: Union[str, None]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


CustomerEvent = Union["CustomerRunCreatedEvent", "CustomerRunWorkerStartedEvent", "CustomerRunWorkerSucceededEvent", "CustomerRunWorkerFailedEvent", "CustomerRunWorkerStalledEvent", "CustomerRunWorkerRetryScheduledEvent", "CustomerRunCancelledEvent", "CustomerRunResumedEvent", "CustomerRunLimitExceededEvent", "CustomerStepProgressEvent", "CustomerStepDoneEvent", "CustomerRunToolInvokedEvent", "CustomerRunCoordinationDecisionEvent", "CustomerRunAwaitingInputEvent", "CustomerRunSignalAppliedEvent", "CustomerRunInputReceivedEvent"]


CustomerEventStreamItem = Union["CustomerEvent", "StreamPosition", "Error"]


class CustomerRunAwaitingInputEventPayload(TypedDict):
    redacted: bool
    value: RunAwaitingInputPayload


class CustomerRunAwaitingInputEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.awaiting_input"]
    timestamp: str
    payload: CustomerRunAwaitingInputEventPayload


class CustomerRunCancelledEventPayload(TypedDict):
    redacted: bool
    value: RunCancelledPayload


class CustomerRunCancelledEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.cancelled"]
    timestamp: str
    payload: CustomerRunCancelledEventPayload


class CustomerRunCoordinationDecisionEventPayload(TypedDict):
    redacted: bool
    value: RunCoordinationDecisionPayload


class CustomerRunCoordinationDecisionEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.coordination.decision"]
    timestamp: str
    payload: CustomerRunCoordinationDecisionEventPayload


class CustomerRunCreatedEventPayload(TypedDict):
    redacted: bool
    value: RunCreatedPayload


class CustomerRunCreatedEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.created"]
    timestamp: str
    payload: CustomerRunCreatedEventPayload


class CustomerRunInputReceivedEventPayload(TypedDict):
    redacted: bool
    value: RunInputReceivedPayload


class CustomerRunInputReceivedEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.input_received"]
    timestamp: str
    payload: CustomerRunInputReceivedEventPayload


class CustomerRunLimitExceededEventPayload(TypedDict):
    redacted: bool
    value: RunLimitExceededPayload


class CustomerRunLimitExceededEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.limit_exceeded"]
    timestamp: str
    payload: CustomerRunLimitExceededEventPayload


class CustomerRunResumedEventPayload(TypedDict):
    redacted: bool
    value: RunResumedPayload


class CustomerRunResumedEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.resumed"]
    timestamp: str
    payload: CustomerRunResumedEventPayload


class CustomerRunSignalAppliedEventPayload(TypedDict):
    redacted: bool
    value: RunSignalAppliedPayload


class CustomerRunSignalAppliedEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.signal_applied"]
    timestamp: str
    payload: CustomerRunSignalAppliedEventPayload


class CustomerRunToolInvokedEventPayload(TypedDict):
    redacted: bool
    value: RunToolInvokedPayload


class CustomerRunToolInvokedEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.tool.invoked"]
    timestamp: str
    payload: CustomerRunToolInvokedEventPayload


class CustomerRunWorkerFailedEventPayload(TypedDict):
    redacted: bool
    value: RunWorkerFailedPayload


class CustomerRunWorkerFailedEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.failed"]
    timestamp: str
    payload: CustomerRunWorkerFailedEventPayload


class CustomerRunWorkerRetryScheduledEventPayload(TypedDict):
    redacted: bool
    value: RunWorkerRetryScheduledPayload


class CustomerRunWorkerRetryScheduledEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.retry_scheduled"]
    timestamp: str
    payload: CustomerRunWorkerRetryScheduledEventPayload


class CustomerRunWorkerStalledEventPayload(TypedDict):
    redacted: bool
    value: RunWorkerStalledPayload


class CustomerRunWorkerStalledEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.stalled"]
    timestamp: str
    payload: CustomerRunWorkerStalledEventPayload


class CustomerRunWorkerStartedEventPayload(TypedDict):
    redacted: bool
    value: RunWorkerStartedPayload


class CustomerRunWorkerStartedEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.started"]
    timestamp: str
    payload: CustomerRunWorkerStartedEventPayload


class CustomerRunWorkerSucceededEventPayload(TypedDict):
    redacted: bool
    value: RunWorkerSucceededPayload


class CustomerRunWorkerSucceededEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.succeeded"]
    timestamp: str
    payload: CustomerRunWorkerSucceededEventPayload


class CustomerStepDoneEventPayload(TypedDict):
    redacted: bool
    value: StepDonePayload


class CustomerStepDoneEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["step.done"]
    timestamp: str
    payload: CustomerStepDoneEventPayload


class CustomerStepProgressEventPayload(TypedDict):
    redacted: bool
    value: StepProgressPayload


class CustomerStepProgressEvent(TypedDict):
    run_id: str
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["step.progress"]
    timestamp: str
    payload: CustomerStepProgressEventPayload


class DecidedCall(TypedDict):
    # Of a call of `awaiting_input.calls`
    call_id: str
    # The call is made as it is
    approve: NotRequired[Literal[True]]
    # The call is not made. The model is told this reason, and goes on
    deny: NotRequired[str]
    # The call is made with these arguments. Not while the outcome of the call is unknown
    arguments: NotRequired[dict[str, Any]]
    # The call is not made: this is its result
    result: NotRequired[Any]
    # The call was made, and failed with this message. Only with `tool_outcome_unknown`
    error: NotRequired[str]


class Decision(TypedDict):
    at: str
    action: Literal["approve", "reject", "submit_input"]
    # The API key that sent the signal
    key_id: str
    # Its name at that time
    key_name: Union[str, None]
    # Whose key it was, or who was signed in. Null: the key stands for itself
    person: Union[str, None]
    # The roles at that time
    roles: list[str]
    # How it reached the service. `link`: by a decision link
    via: Union[Literal["api", "token", "console", "operator", "link"], str]
    # With tagged values masked
    payload: Any
    # What it decides about the call, with tagged values masked
    call: Union[AnsweredCall, None]
    # Likewise, about several calls
    calls: Union[list[DecidedCall], None]


class DecisionLink(TypedDict):
    # Send it to this person or to this role only: who has it can decide
    url: str
    run_id: str
    await_seq: int
    person: Union[str, None]
    role: Union[str, None]
    expires_at: str
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


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
    # The `webhook-id` of the message: the id of the run, `_` and the `seq`; with `_escalated` if it says that the question is escalated
    id: str
    # A test has the id of a run that does not exist
    run_id: str
    seq: int
    type: Union[Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received", "webhook.test", "run.escalated"], str]
    state: Union[Literal["pending", "delivered", "given_up"], str]
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


class DependenciesDependenciesDatabase(TypedDict):
    status: Union[Literal["ok", "down"], str]
    latency_ms: Union[float, None]
    engine: str
    version: Union[str, None]


class DependenciesDependenciesQueue(TypedDict):
    status: Union[Literal["ok", "down"], str]
    latency_ms: Union[float, None]
    # Queued runs. Counted up to 10,001, which means more than 10,000
    depth: Union[int, None]
    # How long the oldest of the counted runs has been queued
    oldest_seconds: Union[float, None]
    # Processes that execute runs
    workers: Union[int, None]
    # How many runs these processes can execute at the same time
    places: NotRequired[Union[int, None]]
    # How many they execute now. Counted up to 10,001, which means more than 10,000
    busy_places: NotRequired[Union[int, None]]


class DependenciesDependencies(TypedDict):
    database: DependenciesDependenciesDatabase
    queue: DependenciesDependenciesQueue


class DependenciesBreakers(TypedDict):
    model: str
    failures: int
    retry_in_seconds: float


class DependenciesMcpServers(TypedDict):
    server: str
    # As `worker` in the log
    worker_id: str
    connected: bool
    # How many tools of the server its runs can use, or could when it was last connected
    tools: int


class DependenciesMcpChanges(TypedDict):
    server: str
    tool: str
    changed_at: str


class Dependencies(TypedDict):
    status: Union[Literal["ok", "down"], str]
    checked_at: str
    dependencies: DependenciesDependencies
    # The version of the service. Only with a key
    version: NotRequired[str]
    # The version of Node.js that executes it. Only with a key
    node_version: NotRequired[str]
    # For how long a transaction has held a snapshot of the database. Only if that is more than five minutes
    held_snapshot_seconds: NotRequired[int]
    # Models that are not called for a while because they failed several times in a row. Only with a key
    breakers: NotRequired[list[DependenciesBreakers]]
    # The MCP servers of each process that executes runs. Only with a key
    mcp_servers: NotRequired[list[DependenciesMcpServers]]
    # Tools of MCP servers whose definition differs from the one first seen or last accepted. Only with a key
    mcp_changes: NotRequired[list[DependenciesMcpChanges]]


class DependenciesDownDependenciesDatabase(TypedDict):
    status: Union[Literal["ok", "down"], str]
    latency_ms: Union[float, None]
    engine: str
    version: Union[str, None]


class DependenciesDownDependenciesQueue(TypedDict):
    status: Union[Literal["ok", "down"], str]
    latency_ms: Union[float, None]
    # Queued runs. Counted up to 10,001, which means more than 10,000
    depth: Union[int, None]
    # How long the oldest of the counted runs has been queued
    oldest_seconds: Union[float, None]
    # Processes that execute runs
    workers: Union[int, None]
    # How many runs these processes can execute at the same time
    places: NotRequired[Union[int, None]]
    # How many they execute now. Counted up to 10,001, which means more than 10,000
    busy_places: NotRequired[Union[int, None]]


class DependenciesDownDependencies(TypedDict):
    database: DependenciesDownDependenciesDatabase
    queue: DependenciesDownDependenciesQueue


class DependenciesDownBreakers(TypedDict):
    model: str
    failures: int
    retry_in_seconds: float


class DependenciesDownMcpServers(TypedDict):
    server: str
    # As `worker` in the log
    worker_id: str
    connected: bool
    # How many tools of the server its runs can use, or could when it was last connected
    tools: int


class DependenciesDownMcpChanges(TypedDict):
    server: str
    tool: str
    changed_at: str


class DependenciesDown(TypedDict):
    status: Union[Literal["ok", "down"], str]
    checked_at: str
    dependencies: DependenciesDownDependencies
    # The version of the service. Only with a key
    version: NotRequired[str]
    # The version of Node.js that executes it. Only with a key
    node_version: NotRequired[str]
    # For how long a transaction has held a snapshot of the database. Only if that is more than five minutes
    held_snapshot_seconds: NotRequired[int]
    # Models that are not called for a while because they failed several times in a row. Only with a key
    breakers: NotRequired[list[DependenciesDownBreakers]]
    # The MCP servers of each process that executes runs. Only with a key
    mcp_servers: NotRequired[list[DependenciesDownMcpServers]]
    # Tools of MCP servers whose definition differs from the one first seen or last accepted. Only with a key
    mcp_changes: NotRequired[list[DependenciesDownMcpChanges]]
    error: Union[Literal["bad_request", "unauthorized", "forbidden", "not_found", "conflict", "gone", "rate_limited", "internal_error", "unavailable"], str]
    reason_code: Union[Literal["IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID", "INPUT_PAYLOAD_INVALID", "INPUT_PAYLOAD_TOO_LARGE", "INPUT_SENSITIVITY_TAG_REQUIRED", "INPUT_SENSITIVITY_TAG_INVALID_PATH", "INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION", "INPUT_SENSITIVITY_TAG_DUPLICATE_PATH", "INPUT_PLAN_INVALID", "SIGNAL_PAYLOAD_INVALID", "USAGE_QUERY_PARAMS_INVALID", "EVENTS_QUERY_PARAMS_INVALID", "MEMORY_QUERY_PARAMS_INVALID", "RUNS_QUERY_PARAMS_INVALID", "BUDGETS_QUERY_PARAMS_INVALID", "SCHEDULES_QUERY_PARAMS_INVALID", "WEBHOOKS_QUERY_PARAMS_INVALID", "KEY_PAYLOAD_INVALID", "BUDGET_PAYLOAD_INVALID", "WEBHOOK_PAYLOAD_INVALID", "SCHEDULE_PAYLOAD_INVALID", "TOKEN_PAYLOAD_INVALID", "LINK_PAYLOAD_INVALID", "AUDIT_QUERY_PARAMS_INVALID", "CONTENT_ENCODING_UNSUPPORTED", "REQUEST_MALFORMED", "AUTH_HEADER_MISSING", "AUTH_HEADER_MALFORMED", "API_KEY_INVALID", "API_KEY_REVOKED", "API_KEY_EXPIRED", "TOKEN_INVALID", "TOKEN_EXPIRED", "SCOPE_DENIED", "TOKEN_LIMITED", "TOKEN_ORIGIN_DENIED", "APPROVER_REQUIRED", "REAUTH_REQUIRED", "DECISION_LINKS_OFF", "CUSTOMER_SUSPENDED", "RUN_NOT_FOUND", "MEMORY_ITEM_NOT_FOUND", "KEY_NOT_FOUND", "BUDGET_NOT_FOUND", "WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND", "SCHEDULE_NOT_FOUND", "ROUTE_NOT_FOUND", "IDEMPOTENCY_KEY_CONFLICT", "WEBHOOK_EXISTS", "LIMIT_REACHED", "RUN_STATE_CONFLICT", "STEP_NOT_FINISHED", "RUN_NOT_AWAITING_INPUT", "IDEMPOTENCY_KEY_EXPIRED", "WEBHOOK_DISABLED", "RATE_LIMITED", "STREAM_LIMIT_REACHED", "QUEUE_LIMIT_REACHED", "INTERNAL_ERROR", "SIGNAL_SERVICE_UNAVAILABLE", "OVERLOADED", "SHUTTING_DOWN", "CUSTOMER_MOVING", "CELL_UNAVAILABLE", "QUERY_TOO_EXPENSIVE", "DATABASE_UNAVAILABLE"], str]
    # What is wrong, where, and how to fix it
    message: str
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class Error(TypedDict):
    error: Union[Literal["bad_request", "unauthorized", "forbidden", "not_found", "conflict", "gone", "rate_limited", "internal_error", "unavailable"], str]
    reason_code: Union[Literal["IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID", "INPUT_PAYLOAD_INVALID", "INPUT_PAYLOAD_TOO_LARGE", "INPUT_SENSITIVITY_TAG_REQUIRED", "INPUT_SENSITIVITY_TAG_INVALID_PATH", "INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION", "INPUT_SENSITIVITY_TAG_DUPLICATE_PATH", "INPUT_PLAN_INVALID", "SIGNAL_PAYLOAD_INVALID", "USAGE_QUERY_PARAMS_INVALID", "EVENTS_QUERY_PARAMS_INVALID", "MEMORY_QUERY_PARAMS_INVALID", "RUNS_QUERY_PARAMS_INVALID", "BUDGETS_QUERY_PARAMS_INVALID", "SCHEDULES_QUERY_PARAMS_INVALID", "WEBHOOKS_QUERY_PARAMS_INVALID", "KEY_PAYLOAD_INVALID", "BUDGET_PAYLOAD_INVALID", "WEBHOOK_PAYLOAD_INVALID", "SCHEDULE_PAYLOAD_INVALID", "TOKEN_PAYLOAD_INVALID", "LINK_PAYLOAD_INVALID", "AUDIT_QUERY_PARAMS_INVALID", "CONTENT_ENCODING_UNSUPPORTED", "REQUEST_MALFORMED", "AUTH_HEADER_MISSING", "AUTH_HEADER_MALFORMED", "API_KEY_INVALID", "API_KEY_REVOKED", "API_KEY_EXPIRED", "TOKEN_INVALID", "TOKEN_EXPIRED", "SCOPE_DENIED", "TOKEN_LIMITED", "TOKEN_ORIGIN_DENIED", "APPROVER_REQUIRED", "REAUTH_REQUIRED", "DECISION_LINKS_OFF", "CUSTOMER_SUSPENDED", "RUN_NOT_FOUND", "MEMORY_ITEM_NOT_FOUND", "KEY_NOT_FOUND", "BUDGET_NOT_FOUND", "WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND", "SCHEDULE_NOT_FOUND", "ROUTE_NOT_FOUND", "IDEMPOTENCY_KEY_CONFLICT", "WEBHOOK_EXISTS", "LIMIT_REACHED", "RUN_STATE_CONFLICT", "STEP_NOT_FINISHED", "RUN_NOT_AWAITING_INPUT", "IDEMPOTENCY_KEY_EXPIRED", "WEBHOOK_DISABLED", "RATE_LIMITED", "STREAM_LIMIT_REACHED", "QUEUE_LIMIT_REACHED", "INTERNAL_ERROR", "SIGNAL_SERVICE_UNAVAILABLE", "OVERLOADED", "SHUTTING_DOWN", "CUSTOMER_MOVING", "CELL_UNAVAILABLE", "QUERY_TOO_EXPENSIVE", "DATABASE_UNAVAILABLE"], str]
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


EventReason = Union[Literal["provider_error", "provider_auth", "provider_quota", "provider_rate_limited", "provider_unavailable", "provider_refused", "context_exceeded", "empty_reply", "reply_truncated", "output_invalid", "output_schema_unusable", "output_check_limit", "template_unresolved", "agent_unavailable", "model_unavailable", "tool_unavailable", "tool_failed", "goal_not_reached", "rubric_not_met", "judge_unavailable", "replan_limit", "step_limit", "cassette_mismatch", "cassette_missing", "signal_rejected", "signal_timeout", "internal_error", "heartbeat_lost", "crashes_worker", "lease_lost", "step_timeout", "plan_ready", "plan_unusable", "step_done", "all_done", "steps_skipped", "plan_goes_on", "nothing_left", "judge_unreadable", "turn_limit", "revision_requested", "retry_step", "step_failed", "replan_requested", "step_misplanned", "provider_retry", "tool_retry", "model_fallback", "context_compacted", "input_required", "approval_required", "tool_outcome_unknown", "tool_not_allowed", "denied_by_policy", "denied_by_person", "edit_not_allowed", "address_not_allowed", "scheme_not_allowed"], str]


EventStreamItem = Union["Event", "Error"]


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


class GateStepAwaitInput(TypedDict):
    input_kind: NotRequired[Literal["approval", "rejection", "payload"]]
    # Default: `input_required`
    reason_code: NotRequired[str]
    # Returned by `include=awaiting_input`
    prompt: NotRequired[str]
    # Who may decide: callers with one of these roles. Default: everyone who may send signals
    approvers: NotRequired[list[str]]
    # How many different people must give the same answer. Default: 1. One person is enough for a no
    approvals: NotRequired[int]
    # Who created the run may not decide. Default: false
    not_requester: NotRequired[bool]
    # Who decides must be a person who has signed in again within the last 5 minutes, not an API key. Default: false
    reauth: NotRequired[bool]
    # After this time `escalate_to` may decide, too
    escalate_after_seconds: NotRequired[int]
    escalate_to: NotRequired[list[str]]
    # JSON Schema of the `payload` of the answer: consoles show a form. A no needs no payload
    approval_schema: NotRequired[dict[str, Any]]


class GateStep(TypedDict):
    # Generated if omitted
    id: NotRequired[str]
    # Ids of the steps that must finish first. Default: the preceding step. `[]`: none; the step starts at once
    depends_on: NotRequired[list[str]]
    # Pauses the run until a signal arrives; the payload of the signal is the output of the step
    await_input: GateStepAwaitInput


class Key(TypedDict):
    id: str
    name: Union[str, None]
    scopes: list[Union[Literal["runs:read", "runs:write", "runs:signal", "runs:admin", "usage:read", "memory:read", "keys:admin", "webhooks:admin", "audit:read", "tokens:create", "links:create"], str]]
    # What it may decide, where a question names approvers
    roles: list[str]
    # Whose key it is. An approval counts once per person
    person: Union[str, None]
    # True: a person who signs in to the console. There is no secret; scopes and roles come from their groups
    signs_in: bool
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


class KeyLeavesSchedules(TypedDict):
    id: str
    name: Union[str, None]
    cron: str
    time_zone: str
    next_at: str


class KeyLeavesWebhooks(TypedDict):
    id: str
    # Of its URL
    host: str


class KeyLeavesKeys(TypedDict):
    id: str
    name: Union[str, None]


class KeyLeaves(TypedDict):
    # Schedules that are not paused, and whose `run` or times the key set last, for example when it created them
    schedules: list[KeyLeavesSchedules]
    # Webhooks that are not paused, and whose URL the key set, for example when it created them
    webhooks: list[KeyLeavesWebhooks]
    # Valid keys whose secret the key was shown: it created them or rotated them last
    keys: list[KeyLeavesKeys]


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


class ListedRunMetadata(TypedDict):
    created_at: str
    updated_at: str


class ListedRunEventPayload(TypedDict):
    redacted: bool
    # Null until the run has succeeded, and without `include=result`
    value: Union[RunResult, None]


class ListedRun(TypedDict):
    id: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    run_class: Literal["default", "short", "long"]
    # The times of the run. The metadata that it was created with is `input.metadata` of `include=input`
    metadata: ListedRunMetadata
    event_payload: ListedRunEventPayload
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
    catch_up: Union[Literal["skip", "latest", "all"], str]
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


class MemoryExportFiles(TypedDict):
    path: str
    content: str


class MemoryExport(TypedDict):
    files: list[MemoryExportFiles]


class MemoryItem(TypedDict):
    id: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    run_id: Union[str, None]
    kind: Union[Literal["fact", "preference", "procedure", "episode"], str]
    status: Union[Literal["active", "superseded", "archived"], str]
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
    error: Union[Literal["bad_request", "unauthorized", "forbidden", "not_found", "conflict", "gone", "rate_limited", "internal_error", "unavailable"], str]
    reason_code: Union[Literal["IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID", "INPUT_PAYLOAD_INVALID", "INPUT_PAYLOAD_TOO_LARGE", "INPUT_SENSITIVITY_TAG_REQUIRED", "INPUT_SENSITIVITY_TAG_INVALID_PATH", "INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION", "INPUT_SENSITIVITY_TAG_DUPLICATE_PATH", "INPUT_PLAN_INVALID", "SIGNAL_PAYLOAD_INVALID", "USAGE_QUERY_PARAMS_INVALID", "EVENTS_QUERY_PARAMS_INVALID", "MEMORY_QUERY_PARAMS_INVALID", "RUNS_QUERY_PARAMS_INVALID", "BUDGETS_QUERY_PARAMS_INVALID", "SCHEDULES_QUERY_PARAMS_INVALID", "WEBHOOKS_QUERY_PARAMS_INVALID", "KEY_PAYLOAD_INVALID", "BUDGET_PAYLOAD_INVALID", "WEBHOOK_PAYLOAD_INVALID", "SCHEDULE_PAYLOAD_INVALID", "TOKEN_PAYLOAD_INVALID", "LINK_PAYLOAD_INVALID", "AUDIT_QUERY_PARAMS_INVALID", "CONTENT_ENCODING_UNSUPPORTED", "REQUEST_MALFORMED", "AUTH_HEADER_MISSING", "AUTH_HEADER_MALFORMED", "API_KEY_INVALID", "API_KEY_REVOKED", "API_KEY_EXPIRED", "TOKEN_INVALID", "TOKEN_EXPIRED", "SCOPE_DENIED", "TOKEN_LIMITED", "TOKEN_ORIGIN_DENIED", "APPROVER_REQUIRED", "REAUTH_REQUIRED", "DECISION_LINKS_OFF", "CUSTOMER_SUSPENDED", "RUN_NOT_FOUND", "MEMORY_ITEM_NOT_FOUND", "KEY_NOT_FOUND", "BUDGET_NOT_FOUND", "WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND", "SCHEDULE_NOT_FOUND", "ROUTE_NOT_FOUND", "IDEMPOTENCY_KEY_CONFLICT", "WEBHOOK_EXISTS", "LIMIT_REACHED", "RUN_STATE_CONFLICT", "STEP_NOT_FINISHED", "RUN_NOT_AWAITING_INPUT", "IDEMPOTENCY_KEY_EXPIRED", "WEBHOOK_DISABLED", "RATE_LIMITED", "STREAM_LIMIT_REACHED", "QUEUE_LIMIT_REACHED", "INTERNAL_ERROR", "SIGNAL_SERVICE_UNAVAILABLE", "OVERLOADED", "SHUTTING_DOWN", "CUSTOMER_MOVING", "CELL_UNAVAILABLE", "QUERY_TOO_EXPENSIVE", "DATABASE_UNAVAILABLE"], str]
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
    status: Union[Literal["ok", "unavailable"], str]


class Redeliver(TypedDict):
    # The `id` of the delivery
    delivery_id: str


class RotateKey(TypedDict):
    # How long the current secret stays valid. 0 ends all old secrets at once. Default: 3600
    overlap_seconds: NotRequired[int]
    # Its roles from now on; only roles that the calling key has. Default: as before
    roles: NotRequired[list[str]]


class RotateWebhook(TypedDict):
    # How long messages are signed with the current secret, too. 0 ends all old secrets at once. Default: 86400
    overlap_seconds: NotRequired[int]


Rubric = TypedDict("Rubric", {
    "criteria": "NotRequired[str]",
    "scores": "NotRequired[dict[str, Any]]",
    "pass": "NotRequired[dict[str, Any]]",
    "max_revisions": "NotRequired[int]",
    "include_grade": "NotRequired[bool]",
})


class RunMetadata(TypedDict):
    created_at: str
    updated_at: str


class RunEventPayload(TypedDict):
    redacted: bool
    # Null until the run has succeeded
    value: Union[RunResult, None]


class Run(TypedDict):
    id: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    run_class: Literal["default", "short", "long"]
    # The times of the run. The metadata that it was created with is `input.metadata` of `include=input`
    metadata: RunMetadata
    event_payload: RunEventPayload
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    # The structured output. None if the run has none, or has not ended. The client adds it
    output: Any


class RunAgent(TypedDict):
    # The agent of the run. Null if only steps of its plan have one
    name: Union[str, None]
    # The hash of its definition. Null before the run is first executed
    hash: Union[str, None]
    # The hash of all agents of the service when the run was first executed. The run uses those to its end
    set_hash: Union[str, None]


class RunAwaitingInputEventPayload(TypedDict):
    redacted: bool
    value: RunAwaitingInputPayload


class RunAwaitingInputEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.awaiting_input"]
    timestamp: str
    payload: RunAwaitingInputEventPayload


class RunAwaitingInputPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    reason_code: EventReason
    # What kind of answer is expected. Every action is accepted
    input_kind: NotRequired[Literal["approval", "rejection", "payload"]]


class RunCancelledEventPayload(TypedDict):
    redacted: bool
    value: RunCancelledPayload


class RunCancelledEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.cancelled"]
    timestamp: str
    payload: RunCancelledEventPayload


class RunCancelledPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["cancelled"]
    reason_code: NotRequired[Literal["signal_timeout"]]


class RunCoordinationDecisionEventPayload(TypedDict):
    redacted: bool
    value: RunCoordinationDecisionPayload


class RunCoordinationDecisionEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.coordination.decision"]
    timestamp: str
    payload: RunCoordinationDecisionEventPayload


class RunCoordinationDecisionPayloadJudgeDecision(TypedDict):
    decision: str
    reason: str


class RunCoordinationDecisionPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    decision_type: Literal["continue", "replan", "stop", "await_input"]
    reason_code: EventReason
    role: Literal["planner", "worker", "judge"]
    # What the judge decided, in its words
    judge_decision: NotRequired[RunCoordinationDecisionPayloadJudgeDecision]


class RunCountsCounts(TypedDict):
    queued: int
    # Without those that await input
    running: int
    awaiting_input: int
    stalled: int
    succeeded: int
    failed: int
    cancelled: int


class RunCounts(TypedDict):
    counts: RunCountsCounts
    # False if there are more than the 10,000 runs that were looked at
    complete: bool
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class RunCreatedEventPayload(TypedDict):
    redacted: bool
    value: RunCreatedPayload


class RunCreatedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.created"]
    timestamp: str
    payload: RunCreatedEventPayload


class RunCreatedPayloadRouting(TypedDict):
    first_role: Literal["planner", "worker", "judge"]
    decided_by: Union[Literal["hint", "plan", "heuristic"], str]
    reason: str


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
    routing: NotRequired[RunCreatedPayloadRouting]


class RunCreator(TypedDict):
    # The API key; null: the operator
    key_id: Union[str, None]
    # The name of the key
    key_name: Union[str, None]
    # How the request reached the service
    via: Union[Literal["api", "token", "console", "operator", "link"], str]


class RunDetailMetadata(TypedDict):
    created_at: str
    updated_at: str


class RunDetailEventPayload(TypedDict):
    redacted: bool
    # Null until the run has succeeded
    value: Union[RunResult, None]


class RunDetail(TypedDict):
    id: str
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    run_class: Literal["default", "short", "long"]
    # The times of the run. The metadata that it was created with is `input.metadata` of `include=input`
    metadata: RunDetailMetadata
    event_payload: RunDetailEventPayload
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
    # The structured output. None if the run has none, or has not ended. The client adds it
    output: Any
    # Who created the run. Null: the service itself, because a schedule was due
    created_by: NotRequired[Union[RunCreator, None]]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class RunFailure(TypedDict):
    reason_code: EventReason
    message: Union[str, None]
    seq: int


class RunInput(TypedDict):
    # As sent, with tagged values masked or removed; "***" if it is tagged as a whole
    input: Any
    # Likewise
    metadata: Any
    attachment_refs: list[str]


class RunInputReceivedEventPayload(TypedDict):
    redacted: bool
    value: RunInputReceivedPayload


class RunInputReceivedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.input_received"]
    timestamp: str
    payload: RunInputReceivedEventPayload


class RunInputReceivedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    action: Literal["submit_input"]


class RunLimitExceededEventPayload(TypedDict):
    redacted: bool
    value: RunLimitExceededPayload


class RunLimitExceededEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.limit_exceeded"]
    timestamp: str
    payload: RunLimitExceededEventPayload


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


class RunResult(TypedDict):
    # The text of the last agent or tool step to finish
    content: str
    # Its structured output. Null if it has none
    output: Any


class RunResumedEventPayload(TypedDict):
    redacted: bool
    value: RunResumedPayload


class RunResumedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.resumed"]
    timestamp: str
    payload: RunResumedEventPayload


class RunResumedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["running", "queued"]


class RunSignalAsked(TypedDict):
    reason_code: EventReason
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
    has_read: Union[list[Union[Literal["private", "untrusted", "sensitive"], str]], None]
    # The id of the call, as in the events
    tool_call_id: Union[str, None]
    # The idempotency key that the call has on the other side
    idempotency_key: Union[str, None]
    # The JSON Schema of the arguments, if it is known: what `call.arguments` of the signal must match
    arguments_schema: Union[dict[str, Any], None]
    # All calls that the answer can decide about, the one above first: `calls` of the signal answers several. Null without a call
    calls: Union[list[AskedCall], None]
    # What the `payload` of the answer must match. Null: anything
    approval_schema: Union[dict[str, Any], None]
    # The roles that may decide. Null: everyone who may send signals
    approvers: Union[list[str], None]
    # How many different people must give the same answer
    approvals: int
    # Who created the run may not decide
    not_requester: bool
    # Who decides must have signed in again within the last 5 minutes
    reauth: bool
    # The roles that may decide from `escalates_at` on, too
    escalate_to: Union[list[str], None]


class RunSignal(TypedDict):
    # The `seq` of its event; of an answer that was only counted, of the next event
    seq: int
    action: Literal["approve", "reject", "submit_input"]
    at: str
    # The API key that sent the signal
    key_id: str
    # Its name at that time
    key_name: Union[str, None]
    # Whose key it was, or who was signed in. Null: the key stands for itself
    person: Union[str, None]
    # The roles at that time
    roles: list[str]
    # How it reached the service. `link`: by a decision link
    via: Union[Literal["api", "token", "console", "operator", "link"], str]
    # True: others had to decide as well, so it was counted and has no event. False: it ended the wait
    counted: bool
    # What the signal responds to
    asked: RunSignalAsked
    # With tagged values masked
    payload: Any
    # What it decides about the call, with tagged values masked
    call: Union[AnsweredCall, None]
    # Likewise, about several calls
    calls: Union[list[DecidedCall], None]


class RunSignalAppliedEventPayload(TypedDict):
    redacted: bool
    value: RunSignalAppliedPayload


class RunSignalAppliedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.signal_applied"]
    timestamp: str
    payload: RunSignalAppliedEventPayload


class RunSignalAppliedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    action: Literal["approve", "reject"]


class RunStepError(TypedDict):
    reason_code: EventReason
    message: Union[str, None]


class RunStep(TypedDict):
    # As in the plan; `planner`; or `#0`, `#1` … in a run without a plan
    id: str
    # As in the events. Null for a gate, which has none
    task_id: Union[str, None]
    kind: Union[Literal["agent", "tool", "gate", "planner"], str]
    # `waiting`: for a person. `skipped`: it never began, and never will unless the run is retried
    state: Union[Literal["pending", "running", "waiting", "succeeded", "failed", "skipped"], str]
    attempts: int
    # Until its first event or the first answer of its model, the moment at which it could begin
    started_at: Union[str, None]
    ended_at: Union[str, None]
    # The text of a step that has succeeded
    content: Union[str, None]
    # Its structured output, or the answer to a gate. Null if there is none, and a day after the run has ended
    output: Any
    error: Union[RunStepError, None]


class RunToolInvokedEventPayload(TypedDict):
    redacted: bool
    value: RunToolInvokedPayload


class RunToolInvokedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.tool.invoked"]
    timestamp: str
    payload: RunToolInvokedEventPayload


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
    policy_reason_code: Union[EventReason, None]
    duration_ms: float


class RunUsage(TypedDict):
    tokens: int
    steps: int
    tool_calls: int


class RunWorkerFailedEventPayload(TypedDict):
    redacted: bool
    value: RunWorkerFailedPayload


class RunWorkerFailedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.failed"]
    timestamp: str
    payload: RunWorkerFailedEventPayload


class RunWorkerFailedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    reason_code: Union[EventReason, None]


class RunWorkerRetryScheduledEventPayload(TypedDict):
    redacted: bool
    value: RunWorkerRetryScheduledPayload


class RunWorkerRetryScheduledEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.retry_scheduled"]
    timestamp: str
    payload: RunWorkerRetryScheduledEventPayload


class RunWorkerRetryScheduledPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    reason_code: Union[EventReason, None]


class RunWorkerStalledEventPayload(TypedDict):
    redacted: bool
    value: RunWorkerStalledPayload


class RunWorkerStalledEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.stalled"]
    timestamp: str
    payload: RunWorkerStalledEventPayload


class RunWorkerStalledPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    reason_code: Union[EventReason, None]


class RunWorkerStartedEventPayload(TypedDict):
    redacted: bool
    value: RunWorkerStartedPayload


class RunWorkerStartedEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.started"]
    timestamp: str
    payload: RunWorkerStartedEventPayload


class RunWorkerStartedPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    reason_code: Union[EventReason, None]


class RunWorkerSucceededEventPayload(TypedDict):
    redacted: bool
    value: RunWorkerSucceededPayload


class RunWorkerSucceededEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["run.worker.succeeded"]
    timestamp: str
    payload: RunWorkerSucceededEventPayload


class RunWorkerSucceededPayload(TypedDict):
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str
    from_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    to_status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    reason_code: Union[EventReason, None]


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


RunsStreamItem = Union["RunsPage", "RunsChanged", "Error"]


class SandboxScriptStepsTools(TypedDict):
    name: str
    input: NotRequired[dict[str, Any]]


class SandboxScriptStepsAwait(TypedDict):
    input_kind: NotRequired[Literal["approval", "rejection", "payload"]]
    # Default: `input_required`
    reason_code: NotRequired[str]
    # Returned by `include=awaiting_input`
    prompt: NotRequired[str]
    # Who may decide: callers with one of these roles. Default: everyone who may send signals
    approvers: NotRequired[list[str]]
    # How many different people must give the same answer. Default: 1. One person is enough for a no
    approvals: NotRequired[int]
    # Who created the run may not decide. Default: false
    not_requester: NotRequired[bool]
    # Who decides must be a person who has signed in again within the last 5 minutes, not an API key. Default: false
    reauth: NotRequired[bool]
    # After this time `escalate_to` may decide, too
    escalate_after_seconds: NotRequired[int]
    escalate_to: NotRequired[list[str]]
    # JSON Schema of the `payload` of the answer: consoles show a form. A no needs no payload
    approval_schema: NotRequired[dict[str, Any]]


class SandboxScriptStepsGrades(TypedDict):
    # Default: true
    passes: NotRequired[bool]
    # Decide instead of `passes`
    scores: NotRequired[dict[str, Any]]
    notes: NotRequired[str]


class SandboxScriptStepsFail(TypedDict):
    reason_code: NotRequired[str]
    # Becomes `provider_error_message`
    message: NotRequired[str]
    retryable: NotRequired[bool]
    # How often the step fails, counted over all attempts and retries. Default: always
    times: NotRequired[int]


SandboxScriptSteps = TypedDict("SandboxScriptSteps", {
    "say": "NotRequired[str]",
    "output": "NotRequired[Any]",
    "tokens": "NotRequired[int]",
    "delay_ms": "NotRequired[float]",
    "chunk_ms": "NotRequired[float]",
    "tools": "NotRequired[list[SandboxScriptStepsTools]]",
    "then": "NotRequired[Literal['continue', 'replan', 'stop', 'await_input']]",
    "goal_reached": "NotRequired[bool]",
    "await": "NotRequired[SandboxScriptStepsAwait]",
    "grades": "NotRequired[list[SandboxScriptStepsGrades]]",
    "revisions": "NotRequired[list[str]]",
    "fail": "NotRequired[SandboxScriptStepsFail]",
})


class SandboxScript(TypedDict):
    steps: NotRequired[list[SandboxScriptSteps]]


class Schedule(TypedDict):
    id: str
    name: Union[str, None]
    # Five fields: minute, hour, day of the month, month, day of the week
    cron: str
    # The IANA time zone of the expression, such as `Europe/Berlin`
    time_zone: str
    # What becomes of ticks that the service missed: `skip` creates no run for those older than 1 minute, `latest` creates one for the latest, `all` creates one for each of the latest 100
    catch_up: Union[Literal["skip", "latest", "all"], str]
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
    # With `submit_input`, while the run waits about a tool call: what becomes of the call. Without `payload`, unless the question has an `approval_schema`
    call: NotRequired[AnsweredCall]
    # Instead of `call`: decides about several calls of `awaiting_input.calls` at once. Those that it leaves out are asked about again
    calls: NotRequired[list[DecidedCall]]


class SignalResult(TypedDict):
    ok: Literal[True]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class Skill(TypedDict):
    name: str
    description: str
    # SHA-256 of the skill with its files, in hex
    hash: str
    # The paths of its files, without `SKILL.md`
    files: list[str]


class StepDoneEventPayload(TypedDict):
    redacted: bool
    value: StepDonePayload


class StepDoneEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["step.done"]
    timestamp: str
    payload: StepDoneEventPayload


class StepDonePayload(TypedDict):
    # The step. It stays the same when the step is tried again
    task_id: NotRequired[str]
    # The result: the text of an agent step, the output of a tool step as JSON
    content: str
    # `retry_step`: the step is tried again. `fail_run`: the run fails
    outcome: Literal["succeeded", "retry_step", "fail_run"]
    reason_code: NotRequired[EventReason]
    # What the model provider said, if its call failed
    provider_error_message: NotRequired[str]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: NotRequired[str]


class StepProgressEventPayload(TypedDict):
    redacted: bool
    value: StepProgressPayload


class StepProgressEvent(TypedDict):
    # 1, 2, 3 … within the run, without gaps
    seq: int
    type: Literal["step.progress"]
    timestamp: str
    payload: StepProgressEventPayload


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


class StreamPosition(TypedDict):
    pass


class TokenResult(TypedDict):
    # Send it as `Authorization: Bearer <token>`
    token: str
    scopes: list[Union[Literal["runs:read", "runs:write", "runs:signal", "runs:admin", "usage:read", "memory:read", "keys:admin", "webhooks:admin", "audit:read", "tokens:create", "links:create"], str]]
    subject_id: Union[str, None]
    workspace_id: Union[str, None]
    run_id: Union[str, None]
    origin: Union[str, None]
    expires_at: str
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class Tool(TypedDict):
    # The value for `tool` and `tools` of a plan step
    name: str
    # What models read. Text of an MCP server is not trusted
    description: str
    source: Union[Literal["built-in", "own", "mcp"], str]
    # For `own`: the module that defines the tool
    file: Union[str, None]
    # For `mcp`: the name of the MCP server
    server: Union[str, None]
    # JSON Schema of the arguments
    input_schema: dict[str, Any]
    # What a call changes. `read`: nothing; `idempotent`: a repeated call has no further effect; `once`: a call must not be repeated. Null: it depends on the arguments
    effect: Union[Union[Literal["read", "idempotent", "once"], str], None]
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
    rule: Union[Literal["allow", "ask", "deny"], str]
    # The rule and its conditions, in words
    description: str


class ToolStep(TypedDict):
    # Generated if omitted
    id: NotRequired[str]
    # Ids of the steps that must finish first. Default: the preceding step. `[]`: none; the step starts at once
    depends_on: NotRequired[list[str]]
    # Default: 3
    max_attempts: NotRequired[int]
    # After this time the run is stalled. Default and maximum: the step timeout of the service. A larger value is refused in a plan of a client, and reduced in one of a planner
    timeout_seconds: NotRequired[float]
    # Wait for approval before the step: by anyone who may signal, or as these rules say
    approval: NotRequired[Union[Literal["required"], ApprovalRules]]
    # Called directly, without a model
    tool: str
    # May contain templates. Default: `{}`
    input: NotRequired[dict[str, Any]]


class ToolSummaryHighlights(TypedDict):
    key: str
    value: str
    redacted: bool


class ToolSummaryStats(TypedDict):
    fields_total: int
    fields_redacted: int
    bytes_before_redaction: int
    bytes_after_redaction: int


class ToolSummary(TypedDict):
    schema_version: Literal["v1"]
    preview: Union[str, None]
    highlights: list[ToolSummaryHighlights]
    stats: ToolSummaryStats
    truncated: bool


class TurnReplyToolCalls(TypedDict):
    # The model's own id of the call
    id: str
    name: str
    input: Any
    # The model called it with this tool; `name` is the tool that it named
    via: NotRequired[Literal["call_tool"]]


class TurnReply(TypedDict):
    text: str
    tool_calls: list[TurnReplyToolCalls]
    # Structured output that was not sent as text
    output: NotRequired[Any]
    finish: Union[Literal["complete", "length"], str]


class TurnFailure(TypedDict):
    reason_code: EventReason
    message: str


class TurnUsage(TypedDict):
    total: float
    input: NotRequired[float]
    # Includes reasoning
    output: NotRequired[float]
    # The part of `input` from the provider's cache
    cached: NotRequired[float]
    reasoning: NotRequired[float]
    # The provider reported no usage
    estimated: NotRequired[Literal[True]]


Turn = TypedDict("Turn", {
    "seq": "int",
    "attempt": "int",
    "role": "Union[Literal['planner', 'worker', 'judge', 'summary'], str]",
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
    "outcome": "Union[Literal['reply', 'failure', 'aborted'], str]",
    "reply": "Union[TurnReply, None]",
    "failure": "Union[TurnFailure, None]",
    "usage": "Union[TurnUsage, None]",
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
    # Null takes the name away
    name: NotRequired[Union[str, None]]
    # An https URL on the public Internet, on port 443
    url: NotRequired[str]
    # The events to receive from now on
    event_types: NotRequired[list[Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received"]]]
    # `false` resumes it, also after the endpoint answered 410 or kept failing
    paused: NotRequired[bool]


class UsagePeriod(TypedDict):
    start: str
    end: str


class Usage(TypedDict):
    usage: list[UsageRow]
    period: UsagePeriod
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
    # Of tokens: the `model`; `input`, `output`, `cached` and `reasoning` tokens; `estimated` if the provider gave no count
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
    # Null: it has none, and its URL says which one it is
    name: Union[str, None]
    # Of mail: `mailto:`
    url: str
    # How its messages look. `mail`: the settings of the service made it. It can be paused, resumed and tested
    format: Union[Literal["standard", "slack", "teams", "mail"], str]
    # The events that it receives
    event_types: list[Union[Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received"], str]]
    # Whether it was paused. Messages wait until it is resumed, for 4 days at most
    paused: bool
    created_at: str
    # When it was created, changed, rotated or disabled
    updated_at: str
    # The endpoint answered 410: nothing is sent until the webhook is resumed. Of mail: the settings of the service send this customer no mail any more. Otherwise null
    disabled_at: Union[str, None]
    # The endpoint failed 5 times in a row: nothing is sent until then. Otherwise null
    paused_until: Union[str, None]


class WebhookList(TypedDict):
    webhooks: list[Webhook]
    # Null: this is the last page
    next_cursor: Union[str, None]
    # Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one
    request_id: str


class WebhookMessageDataAwaitingInput(TypedDict):
    # Of the run
    title: Union[str, None]
    # The question, up to 2,000 characters. Tagged values are masked
    prompt: Union[str, None]
    # The tool whose call the answer decides about
    tool: Union[str, None]
    # The run in the console
    url: Union[str, None]


class WebhookMessageData(TypedDict):
    run_id: str
    # Of the run, after the event
    status: Literal["queued", "running", "stalled", "succeeded", "failed", "cancelled"]
    # The `seq` of the event
    seq: int
    workspace_id: Union[str, None]
    subject_id: Union[str, None]
    # Of `run.awaiting_input`, while the question is open: what a person is asked, and where to answer
    awaiting_input: NotRequired[WebhookMessageDataAwaitingInput]


class WebhookMessage(TypedDict):
    type: Union[Literal["run.created", "run.worker.started", "run.worker.succeeded", "run.worker.failed", "run.worker.stalled", "run.worker.retry_scheduled", "run.cancelled", "run.resumed", "run.limit_exceeded", "step.progress", "step.done", "run.tool.invoked", "run.coordination.decision", "run.awaiting_input", "run.signal_applied", "run.input_received", "webhook.test"], str]
    # The time of the event
    timestamp: str
    data: WebhookMessageData


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

