// The types of the wire. Generated from packages/contract by `node scripts/write-docs.mjs`: do not edit.

export interface Agent {
  /** The value for `metadata.agent` of a run and for `agent` of a plan step */
  name: string
  description: string
  /** SHA-256 of the definition, in hex. It changes when any field or the instructions change */
  hash: string
  /** Null: the model of the worker */
  model: string | null
  /** Null: all tools that policy allows */
  tools: string[] | null
  /** Null: all skills */
  skills: string[] | null
  /** When a model judges the steps of the agent */
  judge: JudgeMode | (string & {})
  /** Null: the limit of the service */
  max_turns: number | null
  /** JSON Schema of the result */
  output_schema: Record<string, unknown> | null
  /** What the answers of its steps are graded against */
  rubric: Record<string, unknown> | null
}

export interface Skill {
  name: string
  description: string
  /** SHA-256 of the skill with its files, in hex */
  hash: string
  /** The paths of its files, without `SKILL.md` */
  files: string[]
}

export interface AgentList {
  agents: Agent[]
  skills: Skill[]
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface ApprovalRules {
  /** Who may decide: callers with one of these roles. Default: everyone who may send signals */
  approvers?: string[] | undefined
  /** How many different people must give the same answer. Default: 1. One person is enough for a no */
  approvals?: number | undefined
  /** Who created the run may not decide. Default: false */
  not_requester?: boolean | undefined
  /** Who decides must be a person who has signed in again within the last 5 minutes, not an API key. Default: false */
  reauth?: boolean | undefined
  /** After this time `escalate_to` may decide, too */
  escalate_after_seconds?: number | undefined
  escalate_to?: string[] | undefined
  /** JSON Schema of the `payload` of the answer: consoles show a form. A no needs no payload */
  approval_schema?: Record<string, unknown> | undefined
}

export interface AuditEntry {
  /** The place in the chain of the customer, without gaps */
  seq: number
  at: string
  action: AuditAction | (string & {})
  /** The API key that acted; null: the operator */
  key_id: string | null
  key_name: string | null
  via: AuditChannel | (string & {})
  /** The id of the run, key, webhook or memory item */
  target: string | null
  /** More about the act, by action */
  details: Record<string, unknown>
  /** The hash of the entry before it; null: it is the first */
  previous_hash: string | null
  /** SHA-256 of the canonical JSON (RFC 8785) of the other fields */
  hash: string
}

export interface AuditQuery {
  action?: AuditAction | undefined
  /** Only what this API key did */
  key_id?: string | undefined
  /** Only what was done to the run, key, webhook or memory item with this id */
  target?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

export interface AuditList {
  entries: AuditEntry[]
  next_cursor: string | null
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface PutBudget {
  period: BudgetPeriod
  /** 0 stops every run */
  tokens: number
}

export interface Budget {
  /** Its path below `/v1/budgets/`: `customer`, or such as `workspaces/acme-finance` and `subjects/user-42` */
  id: string
  level: BudgetLevel | (string & {})
  workspace_id: string | null
  subject_id: string | null
  period: BudgetPeriod | (string & {})
  tokens: number
  /** Tokens used in the current period */
  used: number
  /** Never below 0 */
  remaining: number
  /** When the current period ends */
  resets_at: string
  created_at: string
  updated_at: string
}

export interface BudgetResult {
  budget: Budget
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface BudgetsQuery {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface BudgetList {
  budgets: Budget[]
  /** Null: this is the last page */
  next_cursor: string | null
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface CreateDecisionLink {
  /** The `seq` of the wait that it is for, as in `awaiting_input` */
  await_seq: number
  /** Who decides with it: the `person` of an API key with `runs:signal`. The roles of that key count */
  person?: string | undefined
  /** In place of a person: one of the roles that the question asks for. The answer names the role and no person */
  role?: string | undefined
  /** Seconds. The link ends earlier if the wait does */
  expires_in: number
}

export interface DecisionLink {
  /** Send it to this person or to this role only: who has it can decide */
  url: string
  run_id: string
  await_seq: number
  person: string | null
  role: string | null
  expires_at: string
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface DeletedRun {
  id: string
  deleted: true
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface DeletedSchedule {
  id: string
  deleted: true
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface DeletedWebhook {
  id: string
  deleted: true
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface DeletedBudget {
  /** Its path below `/v1/budgets/`: `customer`, or such as `workspaces/acme-finance` and `subjects/user-42` */
  id: string
  deleted: true
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface DeletedMemoryItem {
  id: string
  deleted: true
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface ErrorBody {
  error: ErrorClass | (string & {})
  reason_code: ReasonCode | (string & {})
  /** What is wrong, where, and how to fix it */
  message: string
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export type EventType =
  | 'run.created'
  | 'run.worker.started'
  | 'run.worker.succeeded'
  | 'run.worker.failed'
  | 'run.worker.stalled'
  | 'run.worker.retry_scheduled'
  | 'run.cancelled'
  | 'run.resumed'
  | 'run.limit_exceeded'
  | 'step.progress'
  | 'step.done'
  | 'run.tool.invoked'
  | 'run.coordination.decision'
  | 'run.awaiting_input'
  | 'run.signal_applied'
  | 'run.input_received'

export interface Event {
  /** 1, 2, 3 … within the run, without gaps */
  seq: number
  type: EventType
  timestamp: string
  payload: {
    redacted: boolean
    value: Record<string, unknown>
  }
}

/** An event of one of the runs of the customer */
export interface CustomerEvent {
  run_id: string
  /** 1, 2, 3 … within the run, without gaps */
  seq: number
  type: EventType
  timestamp: string
  payload: {
    redacted: boolean
    value: Record<string, unknown>
  }
}

export interface EventPage {
  events: Event[]
  next_cursor: number
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface Dependencies {
  status: 'ok' | 'down' | (string & {})
  checked_at: string
  dependencies: {
    database: {
      status: 'ok' | 'down' | (string & {})
      latency_ms: number | null
      engine: string
      version: string | null
    }
    queue: {
      status: 'ok' | 'down' | (string & {})
      latency_ms: number | null
      /** Queued runs. Counted up to 10,001, which means more than 10,000 */
      depth: number | null
      /** How long the oldest of the counted runs has been queued */
      oldest_seconds: number | null
      /** Processes that execute runs */
      workers: number | null
      /** How many runs these processes can execute at the same time */
      places?: number | null | undefined
      /** How many they execute now. Counted up to 10,001, which means more than 10,000 */
      busy_places?: number | null | undefined
    }
  }
  /** The version of the service. Only with a key */
  version?: string | undefined
  /** The version of Node.js that executes it. Only with a key */
  node_version?: string | undefined
  /** For how long a transaction has held a snapshot of the database. Only if that is more than five minutes */
  held_snapshot_seconds?: number | undefined
  /** Models that are not called for a while because they failed several times in a row. Only with a key */
  breakers?:
    | {
        model: string
        failures: number
        retry_in_seconds: number
      }[]
    | undefined
  /** The MCP servers of each process that executes runs. Only with a key */
  mcp_servers?:
    | {
        server: string
        /** As `worker` in the log */
        worker_id: string
        connected: boolean
        /** How many tools of the server its runs can use, or could when it was last connected */
        tools: number
      }[]
    | undefined
  /** Tools of MCP servers whose definition differs from the one first seen or last accepted. Only with a key */
  mcp_changes?:
    | {
        server: string
        tool: string
        changed_at: string
      }[]
    | undefined
}

export interface Key {
  id: string
  name: string | null
  scopes: (Scope | (string & {}))[]
  /** What it may decide, where a question names approvers */
  roles: string[]
  /** Whose key it is. An approval counts once per person */
  person: string | null
  /** True: a person who signs in to the console. There is no secret; scopes and roles come from their groups */
  signs_in: boolean
  created_at: string
  /** When it was created, rotated or revoked */
  updated_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
}

export interface CreateKey {
  name?: string | undefined
  scopes?: Scope[] | undefined
  /** Only roles that the calling key has. The operator grants others with `runwright keys create --role` */
  roles?: string[] | undefined
  /** Whose key it is, such as `ada@example.com`. Write it the same for all keys of a person: the case counts. It never changes */
  person?: string | undefined
  /** Must be in the future */
  expires_at?: string | undefined
}

export interface RotateKey {
  /** How long the current secret stays valid. 0 ends all old secrets at once. Default: 3600 */
  overlap_seconds?: number | undefined
  /** Its roles from now on; only roles that the calling key has. Default: as before */
  roles?: string[] | undefined
}

export interface KeyWithSecret {
  key: Key
  /** Shown only once */
  secret: string
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface KeyResult {
  key: Key
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface KeyLeaves {
  /** Schedules that are not paused, and whose `run` or times the key set last, for example when it created them */
  schedules: {
    id: string
    name: string | null
    cron: string
    time_zone: string
    next_at: string
  }[]
  /** Webhooks that are not paused, and whose URL the key set, for example when it created them */
  webhooks: {
    id: string
    /** Of its URL */
    host: string
  }[]
  /** Valid keys whose secret the key was shown: it created them or rotated them last */
  keys: {
    id: string
    name: string | null
  }[]
}

export interface KeyDetail {
  key: Key
  leaves: KeyLeaves
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface KeysQuery {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface KeyList {
  keys: Key[]
  /** Null: this is the last page */
  next_cursor: string | null
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface MemoryItem {
  id: string
  workspace_id: string | null
  subject_id: string | null
  run_id: string | null
  kind: MemoryKind | (string & {})
  status: MemoryStatus | (string & {})
  harness: boolean
  title: string
  content: string
  tags: string[]
  confidence: number | null
  superseded_by: string | null
  embedding_model: string | null
  created_at: string
  updated_at: string
  /** Only for a single item with `include_embedding=true` */
  embedding?: number[] | null | undefined
}

export interface MemoryExportQuery {
  workspace_id?: string | undefined
  subject_id?: string | undefined
  status?: MemoryStatus | undefined
  include_harness?: boolean | undefined
}

export interface MemoryListQuery {
  workspace_id?: string | undefined
  subject_id?: string | undefined
  status?: MemoryStatus | undefined
  include_harness?: boolean | undefined
  limit?: number | undefined
  offset?: number | undefined
}

export interface MemoryItemQuery {
  workspace_id?: string | undefined
  subject_id?: string | undefined
  status?: MemoryStatus | undefined
  include_harness?: boolean | undefined
  include_embedding?: boolean | undefined
}

export interface MemoryList {
  items: MemoryItem[]
  limit: number
  offset: number
}

export interface MemoryExport {
  files: {
    path: string
    content: string
  }[]
}

export interface AgentStep {
  /** Generated if omitted */
  id?: string | undefined
  /** Ids of the steps that must finish first. Default: the preceding step. `[]`: none; the step starts at once */
  depends_on?: string[] | undefined
  /** Default: 3 */
  max_attempts?: number | undefined
  /** After this time the run is stalled. Default and maximum: the step timeout of the service. A larger value is refused in a plan of a client, and reduced in one of a planner */
  timeout_seconds?: number | undefined
  /** Wait for approval before the step: by anyone who may signal, or as these rules say */
  approval?: 'required' | ApprovalRules | undefined
  /** What the model should do; may contain templates */
  instruction: string
  /** The name of the agent that does the step. Default: the agent of the run, if it has one */
  agent?: string | undefined
  /** Default: all tools that policy allows. `[]`: none */
  tools?: string[] | undefined
  /** JSON Schema that the output of the step must match */
  output_schema?: Record<string, unknown> | undefined
  /** Whether the judge is asked after the step; with `end` only if it is the last one. Default: as the plan says */
  judge?: JudgeMode | undefined
}

export interface ToolStep {
  /** Generated if omitted */
  id?: string | undefined
  /** Ids of the steps that must finish first. Default: the preceding step. `[]`: none; the step starts at once */
  depends_on?: string[] | undefined
  /** Default: 3 */
  max_attempts?: number | undefined
  /** After this time the run is stalled. Default and maximum: the step timeout of the service. A larger value is refused in a plan of a client, and reduced in one of a planner */
  timeout_seconds?: number | undefined
  /** Wait for approval before the step: by anyone who may signal, or as these rules say */
  approval?: 'required' | ApprovalRules | undefined
  /** Called directly, without a model */
  tool: string
  /** May contain templates. Default: `{}` */
  input?: Record<string, unknown> | undefined
}

export interface GateStep {
  /** Generated if omitted */
  id?: string | undefined
  /** Ids of the steps that must finish first. Default: the preceding step. `[]`: none; the step starts at once */
  depends_on?: string[] | undefined
  /** Pauses the run until a signal arrives; the payload of the signal is the output of the step */
  await_input: {
    input_kind?: InputKind | undefined
    /** Default: `input_required` */
    reason_code?: string | undefined
    /** Returned by `include=awaiting_input` */
    prompt?: string | undefined
    /** Who may decide: callers with one of these roles. Default: everyone who may send signals */
    approvers?: string[] | undefined
    /** How many different people must give the same answer. Default: 1. One person is enough for a no */
    approvals?: number | undefined
    /** Who created the run may not decide. Default: false */
    not_requester?: boolean | undefined
    /** Who decides must be a person who has signed in again within the last 5 minutes, not an API key. Default: false */
    reauth?: boolean | undefined
    /** After this time `escalate_to` may decide, too */
    escalate_after_seconds?: number | undefined
    escalate_to?: string[] | undefined
    /** JSON Schema of the `payload` of the answer: consoles show a form. A no needs no payload */
    approval_schema?: Record<string, unknown> | undefined
  }
}

export type PlanStep = AgentStep | ToolStep | GateStep

export interface Plan {
  version?: 'v2' | undefined
  goal?: string | undefined
  /** When the judge is asked: after each agent step, only after the last step, or never. Default: as the agent says, else `each_step` */
  judge?: JudgeMode | undefined
  steps: (AgentStep | ToolStep | GateStep)[]
}

export interface AskedCall {
  /** Names the call in `calls` of the signal */
  call_id: string
  tool: string
  /** In full, with tagged values masked */
  arguments: unknown
  arguments_hash: string | null
  arguments_schema: Record<string, unknown> | null
  why: string
  has_read: (ReadKind | (string & {}))[]
  idempotency_key: string
}

export interface Decision {
  at: string
  action: SignalAction
  /** The API key that sent the signal */
  key_id: string
  /** Its name at that time */
  key_name: string | null
  /** Whose key it was, or who was signed in. Null: the key stands for itself */
  person: string | null
  /** The roles at that time */
  roles: string[]
  /** How it reached the service. `link`: by a decision link */
  via: AuditChannel | (string & {})
  /** With tagged values masked */
  payload: unknown
  /** What it decides about the call, with tagged values masked */
  call: AnsweredCall | null
  /** Likewise, about several calls */
  calls: DecidedCall[] | null
}

export interface AwaitingInput {
  seq: number
  /** A code of the service, or of the plan or the script of the run */
  reason_code: EventReason | (string & {})
  input_kind: InputKind | null
  /** Ends in "…" if it does not show the arguments in full */
  prompt: string | null
  /** The tool that is called if the answer is `approve` */
  tool: string | null
  /** The arguments of the call in full, with tagged values masked */
  arguments: unknown
  /** The approval is valid only for a call with this hash. Null if the answer can change the arguments */
  arguments_hash: string | null
  /** Why the service asks */
  why: string | null
  /** What the run has read so far */
  has_read: (ReadKind | (string & {}))[] | null
  /** The id of the call, as in the events */
  tool_call_id: string | null
  /** The idempotency key that the call has on the other side */
  idempotency_key: string | null
  /** The JSON Schema of the arguments, if it is known: what `call.arguments` of the signal must match */
  arguments_schema: Record<string, unknown> | null
  /** All calls that the answer can decide about, the one above first: `calls` of the signal answers several. Null without a call */
  calls: AskedCall[] | null
  /** What the `payload` of the answer must match. Null: anything */
  approval_schema: Record<string, unknown> | null
  /** The roles that may decide. Null: everyone who may send signals */
  approvers: string[] | null
  /** How many different people must give the same answer */
  approvals: number
  /** Who created the run may not decide */
  not_requester: boolean
  /** Who decides must have signed in again within the last 5 minutes */
  reauth: boolean
  /** The roles that may decide from `escalates_at` on, too */
  escalate_to: string[] | null
  /** Null: never */
  escalates_at: string | null
  /** The latest answer of each person so far, while others have to decide, too. Oldest first */
  decisions: Decision[]
  since: string
  expires_at: string
}

export interface RunSignal {
  /** The `seq` of its event; of an answer that was only counted, of the next event */
  seq: number
  action: SignalAction
  at: string
  /** The API key that sent the signal */
  key_id: string
  /** Its name at that time */
  key_name: string | null
  /** Whose key it was, or who was signed in. Null: the key stands for itself */
  person: string | null
  /** The roles at that time */
  roles: string[]
  /** How it reached the service. `link`: by a decision link */
  via: AuditChannel | (string & {})
  /** True: others had to decide as well, so it was counted and has no event. False: it ended the wait */
  counted: boolean
  /** What the signal responds to */
  asked: {
    /** A code of the service, or of the plan or the script of the run */
    reason_code: EventReason | (string & {})
    input_kind: InputKind | null
    /** Ends in "…" if it does not show the arguments in full */
    prompt: string | null
    /** The tool that is called if the answer is `approve` */
    tool: string | null
    /** The arguments of the call in full, with tagged values masked */
    arguments: unknown
    /** The approval is valid only for a call with this hash. Null if the answer can change the arguments */
    arguments_hash: string | null
    /** Why the service asks */
    why: string | null
    /** What the run has read so far */
    has_read: (ReadKind | (string & {}))[] | null
    /** The id of the call, as in the events */
    tool_call_id: string | null
    /** The idempotency key that the call has on the other side */
    idempotency_key: string | null
    /** The JSON Schema of the arguments, if it is known: what `call.arguments` of the signal must match */
    arguments_schema: Record<string, unknown> | null
    /** All calls that the answer can decide about, the one above first: `calls` of the signal answers several. Null without a call */
    calls: AskedCall[] | null
    /** What the `payload` of the answer must match. Null: anything */
    approval_schema: Record<string, unknown> | null
    /** The roles that may decide. Null: everyone who may send signals */
    approvers: string[] | null
    /** How many different people must give the same answer */
    approvals: number
    /** Who created the run may not decide */
    not_requester: boolean
    /** Who decides must have signed in again within the last 5 minutes */
    reauth: boolean
    /** The roles that may decide from `escalates_at` on, too */
    escalate_to: string[] | null
  }
  /** With tagged values masked */
  payload: unknown
  /** What it decides about the call, with tagged values masked */
  call: AnsweredCall | null
  /** Likewise, about several calls */
  calls: DecidedCall[] | null
}

export interface AgentRubric {
  /** What a good answer is, in words. Excludes `scores` */
  criteria?: string | undefined
  /** A JSON Schema of the scores that the judge gives. Excludes `criteria` */
  scores?: Record<string, unknown> | undefined
  /** The lowest score that passes, for each score that is a number. A boolean passes if it is true */
  pass?: Record<string, number> | undefined
  /** How often the worker may revise an answer that does not pass. Default: 2 */
  max_revisions?: number | undefined
}

export interface Rubric {
  /** What a good answer is, in words. Excludes `scores` */
  criteria?: string | undefined
  /** A JSON Schema of the scores that the judge gives. Excludes `criteria` */
  scores?: Record<string, unknown> | undefined
  /** The lowest score that passes, for each score that is a number. A boolean passes if it is true */
  pass?: Record<string, number> | undefined
  /** How often the worker may revise an answer that does not pass. Default: 2 */
  max_revisions?: number | undefined
  /** Makes the `output` of the result `{ answer, grade }`. Default: false */
  include_grade?: boolean | undefined
}

export interface CreateRun {
  /** Initial context. At most 256 KB together with `metadata`. With the sandbox model, `sandbox` is the script of the run */
  input: Record<string, unknown>
  /** Arbitrary metadata; may be empty. `include=input` returns it. If the service has agents, `agent` names the one of the run. If the service has a list of allowed models, `model` chooses one of them */
  metadata: Record<string, unknown>
  workspace_id?: string | undefined
  subject_id?: string | undefined
  attachment_refs?: string[] | undefined
  sensitivity_tags?: SensitivityTag[] | undefined
  routing_hint?: RoutingHint | undefined
  run_class?: RunClass | undefined
  streaming?: boolean | undefined
  plan?: unknown
}

export interface ForkRun {
  /** The last step that is kept: the id of a finished step. The fork keeps it with all that the run finished before it, and executes the rest */
  from_step: string
  /** Replaces the input. Default: that of the run, including its tagged values */
  input?: Record<string, unknown> | undefined
  /** Replaces the metadata. Default: that of the run */
  metadata?: Record<string, unknown> | undefined
  /** Tags in addition to those of the run */
  sensitivity_tags?: SensitivityTag[] | undefined
}

export interface RunResult {
  /** The text of the last agent or tool step to finish */
  content: string
  /** Its structured output. Null if it has none */
  output: unknown
}

export interface Run {
  id: string
  workspace_id: string | null
  subject_id: string | null
  status: RunStatus
  run_class: RunClass
  /** The times of the run. The metadata that it was created with is `input.metadata` of `include=input` */
  metadata: {
    created_at: string
    updated_at: string
  }
  event_payload: {
    redacted: boolean
    /** Null until the run has succeeded */
    value: RunResult | null
  }
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface CreatedRun {
  id: string
  workspace_id: string | null
  subject_id: string | null
  status: RunStatus
  run_class: RunClass
  /** The times of the run. The metadata that it was created with is `input.metadata` of `include=input` */
  metadata: {
    created_at: string
    updated_at: string
  }
  event_payload: {
    redacted: boolean
    /** Null until the run has succeeded */
    value: RunResult | null
  }
  replayed: boolean
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface RunInput {
  /** As sent, with tagged values masked or removed; "***" if it is tagged as a whole */
  input: unknown
  /** Likewise */
  metadata: unknown
  attachment_refs: string[]
}

export interface RunCreator {
  /** The API key; null: the operator */
  key_id: string | null
  /** The name of the key */
  key_name: string | null
  /** How the request reached the service */
  via: AuditChannel | (string & {})
}

export interface RunAgent {
  /** The agent of the run. Null if only steps of its plan have one */
  name: string | null
  /** The hash of its definition. Null before the run is first executed */
  hash: string | null
  /** The hash of all agents of the service when the run was first executed. The run uses those to its end */
  set_hash: string | null
}

export interface RunLimits {
  tokens: number
  duration_seconds: number
  signal_timeout_seconds: number
}

export interface RunUsage {
  tokens: number
  steps: number
  tool_calls: number
}

export interface RunFailure {
  /** A code of the service, or of the plan or the script of the run */
  reason_code: EventReason | (string & {})
  message: string | null
  seq: number
}

export interface ForkedFrom {
  /** The run may have been removed since */
  run_id: string
  /** The last step that was kept */
  step_id: string
}

export interface RunStep {
  /** As in the plan; `planner`; or `#0`, `#1` … in a run without a plan */
  id: string
  /** As in the events. Null for a gate, which has none */
  task_id: string | null
  kind: 'agent' | 'tool' | 'gate' | 'planner' | (string & {})
  /** `waiting`: for a person. `skipped`: it never began, and never will unless the run is retried */
  state: StepState | (string & {})
  attempts: number
  /** Until its first event or the first answer of its model, the moment at which it could begin */
  started_at: string | null
  ended_at: string | null
  /** The text of a step that has succeeded */
  content: string | null
  /** Its structured output, or the answer to a gate. Null if there is none, and a day after the run has ended */
  output: unknown
  error: {
    /** A code of the service, or of the plan or the script of the run */
    reason_code: EventReason | (string & {})
    message: string | null
  } | null
}

export interface RunDetail {
  id: string
  workspace_id: string | null
  subject_id: string | null
  status: RunStatus
  run_class: RunClass
  /** The times of the run. The metadata that it was created with is `input.metadata` of `include=input` */
  metadata: {
    created_at: string
    updated_at: string
  }
  event_payload: {
    redacted: boolean
    /** Null until the run has succeeded */
    value: RunResult | null
  }
  title?: string | null | undefined
  awaiting_input?: AwaitingInput | null | undefined
  input?: RunInput | null | undefined
  signals?: RunSignal[] | undefined
  plan?: Plan | null | undefined
  agent?: RunAgent | null | undefined
  limits?: RunLimits | null | undefined
  usage?: RunUsage | null | undefined
  failure?: RunFailure | null | undefined
  forked_from?: ForkedFrom | null | undefined
  steps?: RunStep[] | null | undefined
  output?: unknown
  /** Who created the run. Null: the service itself, because a schedule was due */
  created_by?: RunCreator | null | undefined
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface ListedRun {
  id: string
  workspace_id: string | null
  subject_id: string | null
  status: RunStatus
  run_class: RunClass
  /** The times of the run. The metadata that it was created with is `input.metadata` of `include=input` */
  metadata: {
    created_at: string
    updated_at: string
  }
  event_payload: {
    redacted: boolean
    /** Null until the run has succeeded, and without `include=result` */
    value: RunResult | null
  }
  title?: string | null | undefined
  agent?: RunAgent | null | undefined
  awaiting_input?: AwaitingInput | null | undefined
  failure?: RunFailure | null | undefined
  limits?: RunLimits | null | undefined
  usage?: RunUsage | null | undefined
  forked_from?: ForkedFrom | null | undefined
  steps?: RunStep[] | null | undefined
  output?: unknown
}

export interface ListRunsQuery {
  /** Only these statuses */
  status?: RunStatus[] | undefined
  awaiting_input?: boolean | undefined
  /** With `awaiting_input=true`: only runs whose question the caller may decide, whatever its scopes, and has not decided yet or somebody has decided otherwise */
  assigned?: 'me' | undefined
  workspace_id?: string | undefined
  subject_id?: string | undefined
  run_class?: RunClass | undefined
  /** Created at or after */
  created_after?: string | undefined
  /** Created before */
  created_before?: string | undefined
  /** Only runs of this agent */
  agent?: string | undefined
  /** Only failed runs with this `failure.reason_code` */
  error?: string | undefined
  /** Only runs that this schedule has created, the latest 10,000 of them */
  schedule_id?: string | undefined
  /** The id of a run, the first 8 or more characters of it, or words of its title. Upper and lower case do not matter */
  q?: string | undefined
  limit?: number | undefined
  /** Parts to add to each run */
  include?: RunListInclude[] | undefined
  cursor?: string | undefined
}

export interface CountRunsQuery {
  workspace_id?: string | undefined
  subject_id?: string | undefined
  run_class?: RunClass | undefined
  /** Created at or after */
  created_after?: string | undefined
  /** Created before */
  created_before?: string | undefined
}

export interface RunCounts {
  counts: {
    queued: number
    /** Without those that await input */
    running: number
    awaiting_input: number
    stalled: number
    succeeded: number
    failed: number
    cancelled: number
  }
  /** False if there are more than the 10,000 runs that were looked at */
  complete: boolean
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface StreamRunsQuery {
  /** Only these statuses */
  status?: RunStatus[] | undefined
  awaiting_input?: boolean | undefined
  /** With `awaiting_input=true`: only runs whose question the caller may decide, whatever its scopes, and has not decided yet or somebody has decided otherwise */
  assigned?: 'me' | undefined
  workspace_id?: string | undefined
  subject_id?: string | undefined
  run_class?: RunClass | undefined
  /** Created at or after */
  created_after?: string | undefined
  /** Created before */
  created_before?: string | undefined
  /** Only runs of this agent */
  agent?: string | undefined
  /** Only failed runs with this `failure.reason_code` */
  error?: string | undefined
  /** Only runs that this schedule has created, the latest 10,000 of them */
  schedule_id?: string | undefined
  /** The id of a run, the first 8 or more characters of it, or words of its title. Upper and lower case do not matter */
  q?: string | undefined
  limit?: number | undefined
  /** Parts to add to each run */
  include?: RunListInclude[] | undefined
}

/** The data of `runs.page`, the first message of the stream */
export interface RunsPage {
  runs: ListedRun[]
  /** Of the list, for the runs after those of the stream */
  next_cursor: string | null
}

/** The data of `runs.changed`: what is different from before */
export interface RunsChanged {
  /** Runs that are new on the page or have changed */
  put: ListedRun[]
  /** Runs that are no longer on the page */
  gone: string[]
  /** Of the list, for the runs after those of the stream */
  next_cursor: string | null
}

export interface RunList {
  runs: ListedRun[]
  next_cursor: string | null
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface SandboxStep {
  /** Text to stream */
  say?: string | undefined
  /** Structured result; any JSON */
  output?: unknown
  /** Total for the step, regardless of the number of turns */
  tokens?: number | undefined
  delay_ms?: number | undefined
  chunk_ms?: number | undefined
  tools?:
    | {
        name: string
        input?: Record<string, unknown> | undefined
      }[]
    | undefined
  /** What the judge decides after the step */
  then?: DecisionType | undefined
  /** With `stop`: false fails the run with `goal_not_reached` */
  goal_reached?: boolean | undefined
  await?:
    | {
        input_kind?: InputKind | undefined
        /** Default: `input_required` */
        reason_code?: string | undefined
        /** Returned by `include=awaiting_input` */
        prompt?: string | undefined
        /** Who may decide: callers with one of these roles. Default: everyone who may send signals */
        approvers?: string[] | undefined
        /** How many different people must give the same answer. Default: 1. One person is enough for a no */
        approvals?: number | undefined
        /** Who created the run may not decide. Default: false */
        not_requester?: boolean | undefined
        /** Who decides must be a person who has signed in again within the last 5 minutes, not an API key. Default: false */
        reauth?: boolean | undefined
        /** After this time `escalate_to` may decide, too */
        escalate_after_seconds?: number | undefined
        escalate_to?: string[] | undefined
        /** JSON Schema of the `payload` of the answer: consoles show a form. A no needs no payload */
        approval_schema?: Record<string, unknown> | undefined
      }
    | undefined
  /** What the judge says about the answers of the step, if it has a rubric. Default: they pass */
  grades?:
    | {
        /** Default: true */
        passes?: boolean | undefined
        /** Decide instead of `passes` */
        scores?: Record<string, number | boolean> | undefined
        notes?: string | undefined
      }[]
    | undefined
  /** The revised answers. Default: `say` */
  revisions?: string[] | undefined
  fail?:
    | {
        reason_code?: string | undefined
        /** Becomes `provider_error_message` */
        message?: string | undefined
        retryable?: boolean | undefined
        /** How often the step fails, counted over all attempts and retries. Default: always */
        times?: number | undefined
      }
    | undefined
}

export interface SandboxScript {
  steps?: SandboxStep[] | undefined
}

export interface CreateSchedule {
  name?: string | undefined
  /** Five fields: minute, hour, day of the month, month, day of the week */
  cron: string
  /** The IANA time zone of the expression, such as `Europe/Berlin`. Default: `UTC` */
  time_zone?: string | undefined
  /** What becomes of ticks that the service missed: `skip` creates no run for those older than 1 minute, `latest` creates one for the latest, `all` creates one for each of the latest 100. Default: `skip` */
  catch_up?: CatchUpPolicy | undefined
  /** The body of `POST /v1/runs` */
  run: unknown
}

export interface UpdateSchedule {
  name?: string | undefined
  cron?: string | undefined
  time_zone?: string | undefined
  catch_up?: CatchUpPolicy | undefined
  /** Replaces the whole body */
  run?: unknown
  /** A paused schedule creates no runs, and catches up on nothing */
  paused?: boolean | undefined
}

export interface ScheduleError {
  /** As in the response to a create */
  reason_code: string
  message: string
  at: string
}

export interface ListedSchedule {
  id: string
  name: string | null
  /** Five fields: minute, hour, day of the month, month, day of the week */
  cron: string
  /** The IANA time zone of the expression, such as `Europe/Berlin` */
  time_zone: string
  /** What becomes of ticks that the service missed: `skip` creates no run for those older than 1 minute, `latest` creates one for the latest, `all` creates one for each of the latest 100 */
  catch_up: CatchUpPolicy | (string & {})
  paused: boolean
  /** The next tick. Null while the schedule is paused */
  next_at: string | null
  /** The last tick that created a run */
  last_at: string | null
  /** The run that it created */
  last_run_id: string | null
  /** Why the latest tick has created no run. Null if it has created one */
  last_error: ScheduleError | null
  /** How many ticks have created no run: missed, or refused. At most 100 are counted at once */
  missed: number
  created_at: string
  /** When it was created or changed. Ticks do not count */
  updated_at: string
}

export interface Schedule {
  id: string
  name: string | null
  /** Five fields: minute, hour, day of the month, month, day of the week */
  cron: string
  /** The IANA time zone of the expression, such as `Europe/Berlin` */
  time_zone: string
  /** What becomes of ticks that the service missed: `skip` creates no run for those older than 1 minute, `latest` creates one for the latest, `all` creates one for each of the latest 100 */
  catch_up: CatchUpPolicy | (string & {})
  paused: boolean
  /** The next tick. Null while the schedule is paused */
  next_at: string | null
  /** The last tick that created a run */
  last_at: string | null
  /** The run that it created */
  last_run_id: string | null
  /** Why the latest tick has created no run. Null if it has created one */
  last_error: ScheduleError | null
  /** How many ticks have created no run: missed, or refused. At most 100 are counted at once */
  missed: number
  created_at: string
  /** When it was created or changed. Ticks do not count */
  updated_at: string
  /** As sent, with tagged values masked or removed */
  run: Record<string, unknown>
}

export interface ScheduleResult {
  schedule: Schedule
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface SchedulesQuery {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface ScheduleList {
  schedules: ListedSchedule[]
  /** Null: this is the last page */
  next_cursor: string | null
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface SensitivityTag {
  /** RFC 9535 JSONPath that starts with `$.input` or `$.metadata` */
  path: string
  classification: string
  redaction?: Redaction | undefined
  /** Who may receive the value from a model without approval: `tool:<name>`, or `host:<name>` for `http_fetch`. Default: no one */
  allow?: string[] | undefined
  /** Shortens the retention of the run, if the service has one; never lengthens it */
  retention_hint_days?: number | undefined
}

export interface AnsweredCall {
  /** The call is not made. The model is told this reason, and goes on */
  deny?: string | undefined
  /** The call is made with these arguments. Not while the outcome of the call is unknown */
  arguments?: Record<string, unknown> | undefined
  /** The call is not made: this is its result */
  result?: unknown
  /** The call was made, and failed with this message. Only with `tool_outcome_unknown` */
  error?: string | undefined
}

export interface DecidedCall {
  /** Of a call of `awaiting_input.calls` */
  call_id: string
  /** The call is made as it is */
  approve?: true | undefined
  /** The call is not made. The model is told this reason, and goes on */
  deny?: string | undefined
  /** The call is made with these arguments. Not while the outcome of the call is unknown */
  arguments?: Record<string, unknown> | undefined
  /** The call is not made: this is its result */
  result?: unknown
  /** The call was made, and failed with this message. Only with `tool_outcome_unknown` */
  error?: string | undefined
}

export interface Signal {
  action: SignalAction
  /** Any JSON: the `reason` of a `reject`, the data of a `submit_input` */
  payload?: unknown
  idempotency_key?: string | undefined
  /** The `seq` of the `run.awaiting_input` event that this signal responds to */
  await_seq?: number | undefined
  /** With `submit_input`, while the run waits about a tool call: what becomes of the call. Without `payload`, unless the question has an `approval_schema` */
  call?: AnsweredCall | undefined
  /** Instead of `call`: decides about several calls of `awaiting_input.calls` at once. Those that it leaves out are asked about again */
  calls?: DecidedCall[] | undefined
}

export interface SignalResult {
  ok: true
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface CreateToken {
  /** Of those of the key */
  scopes: TokenScope[]
  /** Seconds. The token ends earlier if its key does */
  expires_in: number
  /** The token sees and creates only the runs of this subject */
  subject_id?: string | undefined
  /** The token sees and creates only the runs of this workspace */
  workspace_id?: string | undefined
  /** The token sees only this run */
  run_id?: string | undefined
  /** If a request has an `Origin` header, it must be this one */
  origin?: string | undefined
}

export interface TokenResult {
  /** Send it as `Authorization: Bearer <token>` */
  token: string
  scopes: (Scope | (string & {}))[]
  subject_id: string | null
  workspace_id: string | null
  run_id: string | null
  origin: string | null
  expires_at: string
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface ToolSummary {
  schema_version: 'v1'
  preview: string | null
  highlights: {
    key: string
    value: string
    redacted: boolean
  }[]
  stats: {
    fields_total: number
    fields_redacted: number
    bytes_before_redaction: number
    bytes_after_redaction: number
  }
  truncated: boolean
}

export interface ToolPolicy {
  /** `allow`: a call is made; `ask`: it is made after approval; `deny`: it is not made. A run can be stricter */
  rule: PolicyRule | (string & {})
  /** The rule and its conditions, in words */
  description: string
}

export interface ToolExposure {
  /** A call returns data that is not public */
  reads_private: boolean
  /** A call returns text that third parties can write */
  takes_untrusted: boolean
  /** A call can pass data to third parties */
  sends_out: boolean
}

export interface Tool {
  /** The value for `tool` and `tools` of a plan step */
  name: string
  /** What models read. Text of an MCP server is not trusted */
  description: string
  source: ToolSource | (string & {})
  /** For `own`: the module that defines the tool */
  file: string | null
  /** For `mcp`: the name of the MCP server */
  server: string | null
  /** JSON Schema of the arguments */
  input_schema: Record<string, unknown>
  /** What a call changes. `read`: nothing; `idempotent`: a repeated call has no further effect; `once`: a call must not be repeated. Null: it depends on the arguments */
  effect: ToolEffect | (string & {}) | null
  /** What a call touches. Null: it depends on the arguments */
  exposure: ToolExposure | null
  policy: ToolPolicy
}

export interface ToolList {
  tools: Tool[]
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export type TurnMessage =
  | {
      from: 'system'
      text: string
    }
  | {
      from: 'user'
      text: string
      files?:
        | {
            ref: string
            media_type: string
            bytes: number
          }[]
        | undefined
    }
  | {
      from: 'assistant'
      text: string
      tool_calls: {
        /** The model's own id of the call */
        id: string
        name: string
        input: unknown
      }[]
    }
  | {
      from: 'tool'
      call_id: string
      name: string
      result: unknown
      failed: boolean
    }

export interface TurnReply {
  text: string
  tool_calls: {
    /** The model's own id of the call */
    id: string
    name: string
    input: unknown
    /** The model called it with this tool; `name` is the tool that it named */
    via?: 'call_tool' | undefined
  }[]
  /** Structured output that was not sent as text */
  output?: unknown
  finish: 'complete' | 'length' | (string & {})
}

export interface Turn {
  /** 1, 2, 3 … within the run, in the order in which the calls were recorded */
  seq: number
  /** The attempt of the run */
  attempt: number
  role: TurnRole | (string & {})
  /** As in the events of the step */
  task_id: string
  step_id: string
  /** Identifies the call within the run; a repeated call has the same value */
  call: string
  /** How many times the call was made before, plus 1 */
  try: number
  model: string
  prompt_version: string
  /** The conversation as it was sent */
  messages: TurnMessage[]
  /** The tools that the model was offered */
  tools: string[]
  parameters: Record<string, unknown>
  /** Whether the reply had to match a JSON Schema */
  output_schema: boolean
  outcome: TurnOutcome | (string & {})
  /** What arrived; null if nothing did */
  reply: TurnReply | null
  failure: {
    /** A code of the service, or of the plan or the script of the run */
    reason_code: EventReason | (string & {})
    message: string
  } | null
  usage: {
    total: number
    input?: number | undefined
    /** Includes reasoning */
    output?: number | undefined
    /** The part of `input` from the provider's cache */
    cached?: number | undefined
    reasoning?: number | undefined
    /** The provider reported no usage */
    estimated?: true | undefined
  } | null
  /** Null if the reply has no text */
  first_token_ms: number | null
  duration_ms: number
  started_at: string
  /** Whether a very long text was cut */
  truncated: boolean
}

export interface TurnPage {
  turns: Turn[]
  next_after: number
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface UsageQuery {
  workspace_id?: string | undefined
  subject_id?: string | undefined
  event_type?: string | undefined
  start?: string | undefined
  end?: string | undefined
  granularity?: Granularity | undefined
  group_by?: ('workspace_id' | 'subject_id')[] | undefined
}

export interface UsageRow {
  event_type: string
  count: number
  total_quantity: number
  /** `2026-11-15T02:00:00Z`, `2026-11-15` or `2026-11` */
  period: string
  workspace_id: string | null
  subject_id: string | null
}

export interface UsageReport {
  usage: UsageRow[]
  period: {
    start: string
    end: string
  }
  granularity: Granularity
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface UsageEventsQuery {
  workspace_id?: string | undefined
  subject_id?: string | undefined
  event_type?: string | undefined
  start?: string | undefined
  end?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

export interface UsageEvent {
  event_type: string
  quantity: number
  at: string
  run_id: string
  /** Opaque; unique within the run */
  key: string
  workspace_id: string | null
  subject_id: string | null
  /** Of tokens: the `model`; `input`, `output`, `cached` and `reasoning` tokens; `estimated` if the provider gave no count */
  details?: Record<string, number | boolean | string> | undefined
}

export interface UsageEventPage {
  events: UsageEvent[]
  next_cursor: string | null
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface Webhook {
  id: string
  /** Null: it has none, and its URL says which one it is */
  name: string | null
  /** Of mail: `mailto:` */
  url: string
  /** How its messages look. `mail`: the settings of the service made it. It can be paused, resumed and tested */
  format: WebhookFormat | (string & {})
  /** The events that it receives */
  event_types: (EventType | (string & {}))[]
  /** Whether it was paused. Messages wait until it is resumed, for 4 days at most */
  paused: boolean
  created_at: string
  /** When it was created, changed, rotated or disabled */
  updated_at: string
  /** The endpoint answered 410: nothing is sent until the webhook is resumed. Of mail: the settings of the service send this customer no mail any more. Otherwise null */
  disabled_at: string | null
  /** The endpoint failed 5 times in a row: nothing is sent until then. Otherwise null */
  paused_until: string | null
}

export interface CreateWebhook {
  /** An https URL on the public Internet, on port 443 */
  url: string
  /** Which webhook this is. A customer has one with each name, and without names one with each URL. If it is there already, nothing is changed */
  name?: string | undefined
  /** How the messages look. `slack` and `teams` are for the incoming webhooks of these chats: a message shows what is asked, and links to the page where it is answered. Default: `standard` */
  format?: PostFormat | undefined
  /** The events to receive. Default: `run.worker.succeeded`, `run.worker.failed`, `run.cancelled`, `run.limit_exceeded`, `run.awaiting_input`. With `slack` and `teams` only `run.awaiting_input`, `run.signal_applied`, `run.input_received`, `run.worker.succeeded`, `run.worker.failed`, `run.cancelled`, `run.limit_exceeded`; default: `run.awaiting_input`, `run.signal_applied`, `run.input_received` */
  event_types?: EventType[] | undefined
}

export interface UpdateWebhook {
  /** Null takes the name away */
  name?: string | null | undefined
  url?: string | undefined
  /** The events to receive from now on */
  event_types?: EventType[] | undefined
  /** `false` resumes it, also after the endpoint answered 410 or kept failing */
  paused?: boolean | undefined
}

export interface RotateWebhook {
  /** How long messages are signed with the current secret, too. 0 ends all old secrets at once. Default: 86400 */
  overlap_seconds?: number | undefined
}

export interface WebhookWithSecret {
  webhook: Webhook
  /** Begins with `whsec_`. Shown only once */
  secret: string
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface CreatedWebhook {
  webhook: Webhook
  /** Begins with `whsec_`. Shown only once. Null: the webhook was there already, and nothing was changed */
  secret: string | null
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface WebhookResult {
  webhook: Webhook
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface WebhooksQuery {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface WebhookList {
  webhooks: Webhook[]
  /** Null: this is the last page */
  next_cursor: string | null
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface Delivery {
  /** The `webhook-id` of the message: the id of the run, `_` and the `seq`; with `_escalated` if it says that the question is escalated */
  id: string
  /** A test has the id of a run that does not exist */
  run_id: string
  seq: number
  type:
    | 'run.created'
    | 'run.worker.started'
    | 'run.worker.succeeded'
    | 'run.worker.failed'
    | 'run.worker.stalled'
    | 'run.worker.retry_scheduled'
    | 'run.cancelled'
    | 'run.resumed'
    | 'run.limit_exceeded'
    | 'step.progress'
    | 'step.done'
    | 'run.tool.invoked'
    | 'run.coordination.decision'
    | 'run.awaiting_input'
    | 'run.signal_applied'
    | 'run.input_received'
    | 'webhook.test'
    | 'run.escalated'
    | (string & {})
  state: DeliveryState | (string & {})
  event_at: string
  attempts: number
  last_attempt_at: string | null
  /** Null: it was delivered or given up */
  next_attempt_at: string | null
  /** Of the last attempt; null without a response */
  response_status: number | null
  /** Why the last attempt failed */
  error: string | null
}

export interface DeliveriesQuery {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface DeliveryList {
  deliveries: Delivery[]
  /** Null: this is the last page */
  next_cursor: string | null
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface DeliveryResult {
  delivery: Delivery
  /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
  request_id: string
}

export interface Redeliver {
  /** The `id` of the delivery */
  delivery_id: string
}

export interface WebhookMessage {
  type:
    | 'run.created'
    | 'run.worker.started'
    | 'run.worker.succeeded'
    | 'run.worker.failed'
    | 'run.worker.stalled'
    | 'run.worker.retry_scheduled'
    | 'run.cancelled'
    | 'run.resumed'
    | 'run.limit_exceeded'
    | 'step.progress'
    | 'step.done'
    | 'run.tool.invoked'
    | 'run.coordination.decision'
    | 'run.awaiting_input'
    | 'run.signal_applied'
    | 'run.input_received'
    | 'webhook.test'
    | (string & {})
  /** The time of the event */
  timestamp: string
  data: {
    run_id: string
    /** Of the run, after the event */
    status: RunStatus
    /** The `seq` of the event */
    seq: number
    workspace_id: string | null
    subject_id: string | null
    /** Of `run.awaiting_input`, while the question is open: what a person is asked, and where to answer */
    awaiting_input?:
      | {
          /** Of the run */
          title: string | null
          /** The question, up to 2,000 characters. Tagged values are masked */
          prompt: string | null
          /** The tool whose call the answer decides about */
          tool: string | null
          /** The run in the console */
          url: string | null
        }
      | undefined
  }
}

export type EventReason =
  | 'provider_error'
  | 'provider_auth'
  | 'provider_quota'
  | 'provider_rate_limited'
  | 'provider_unavailable'
  | 'provider_refused'
  | 'context_exceeded'
  | 'empty_reply'
  | 'reply_truncated'
  | 'output_invalid'
  | 'output_schema_unusable'
  | 'output_check_limit'
  | 'template_unresolved'
  | 'agent_unavailable'
  | 'model_unavailable'
  | 'tool_unavailable'
  | 'tool_failed'
  | 'goal_not_reached'
  | 'rubric_not_met'
  | 'judge_unavailable'
  | 'replan_limit'
  | 'step_limit'
  | 'cassette_mismatch'
  | 'cassette_missing'
  | 'signal_rejected'
  | 'signal_timeout'
  | 'internal_error'
  | 'heartbeat_lost'
  | 'crashes_worker'
  | 'lease_lost'
  | 'step_timeout'
  | 'plan_ready'
  | 'plan_unusable'
  | 'step_done'
  | 'all_done'
  | 'steps_skipped'
  | 'plan_goes_on'
  | 'nothing_left'
  | 'judge_unreadable'
  | 'turn_limit'
  | 'revision_requested'
  | 'retry_step'
  | 'step_failed'
  | 'replan_requested'
  | 'step_misplanned'
  | 'provider_retry'
  | 'tool_retry'
  | 'model_fallback'
  | 'context_compacted'
  | 'input_required'
  | 'approval_required'
  | 'tool_outcome_unknown'
  | 'tool_not_allowed'
  | 'denied_by_policy'
  | 'denied_by_person'
  | 'edit_not_allowed'
  | 'address_not_allowed'
  | 'scheme_not_allowed'

export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 410 | 429 | 500 | 503

export type ReasonCode =
  | 'IDEMPOTENCY_KEY_REQUIRED'
  | 'IDEMPOTENCY_KEY_INVALID'
  | 'INPUT_PAYLOAD_INVALID'
  | 'INPUT_PAYLOAD_TOO_LARGE'
  | 'INPUT_SENSITIVITY_TAG_REQUIRED'
  | 'INPUT_SENSITIVITY_TAG_INVALID_PATH'
  | 'INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION'
  | 'INPUT_SENSITIVITY_TAG_DUPLICATE_PATH'
  | 'INPUT_PLAN_INVALID'
  | 'SIGNAL_PAYLOAD_INVALID'
  | 'USAGE_QUERY_PARAMS_INVALID'
  | 'EVENTS_QUERY_PARAMS_INVALID'
  | 'MEMORY_QUERY_PARAMS_INVALID'
  | 'RUNS_QUERY_PARAMS_INVALID'
  | 'BUDGETS_QUERY_PARAMS_INVALID'
  | 'SCHEDULES_QUERY_PARAMS_INVALID'
  | 'WEBHOOKS_QUERY_PARAMS_INVALID'
  | 'KEY_PAYLOAD_INVALID'
  | 'BUDGET_PAYLOAD_INVALID'
  | 'WEBHOOK_PAYLOAD_INVALID'
  | 'SCHEDULE_PAYLOAD_INVALID'
  | 'TOKEN_PAYLOAD_INVALID'
  | 'LINK_PAYLOAD_INVALID'
  | 'AUDIT_QUERY_PARAMS_INVALID'
  | 'CONTENT_ENCODING_UNSUPPORTED'
  | 'REQUEST_MALFORMED'
  | 'AUTH_HEADER_MISSING'
  | 'AUTH_HEADER_MALFORMED'
  | 'API_KEY_INVALID'
  | 'API_KEY_REVOKED'
  | 'API_KEY_EXPIRED'
  | 'TOKEN_INVALID'
  | 'TOKEN_EXPIRED'
  | 'SESSION_ENDED'
  | 'SIGN_IN_CODE_INVALID'
  | 'SCOPE_DENIED'
  | 'TOKEN_LIMITED'
  | 'TOKEN_ORIGIN_DENIED'
  | 'APPROVER_REQUIRED'
  | 'REAUTH_REQUIRED'
  | 'DECISION_LINKS_OFF'
  | 'CUSTOMER_SUSPENDED'
  | 'CROSS_SITE_REQUEST'
  | 'RUN_NOT_FOUND'
  | 'MEMORY_ITEM_NOT_FOUND'
  | 'KEY_NOT_FOUND'
  | 'BUDGET_NOT_FOUND'
  | 'WEBHOOK_NOT_FOUND'
  | 'DELIVERY_NOT_FOUND'
  | 'SCHEDULE_NOT_FOUND'
  | 'ROUTE_NOT_FOUND'
  | 'IDEMPOTENCY_KEY_CONFLICT'
  | 'WEBHOOK_EXISTS'
  | 'LIMIT_REACHED'
  | 'RUN_STATE_CONFLICT'
  | 'STEP_NOT_FINISHED'
  | 'RUN_NOT_AWAITING_INPUT'
  | 'IDEMPOTENCY_KEY_EXPIRED'
  | 'WEBHOOK_DISABLED'
  | 'RATE_LIMITED'
  | 'STREAM_LIMIT_REACHED'
  | 'QUEUE_LIMIT_REACHED'
  | 'INTERNAL_ERROR'
  | 'SIGNAL_SERVICE_UNAVAILABLE'
  | 'OVERLOADED'
  | 'SHUTTING_DOWN'
  | 'CUSTOMER_MOVING'
  | 'CELL_UNAVAILABLE'
  | 'SIGN_IN_UNAVAILABLE'
  | 'QUERY_TOO_EXPENSIVE'
  | 'DATABASE_UNAVAILABLE'

export type RunStatus = 'queued' | 'running' | 'stalled' | 'succeeded' | 'failed' | 'cancelled'

export type RunClass = 'default' | 'short' | 'long'

export type RoutingHint = 'skip_planning' | 'require_planning'

export type Role = 'planner' | 'worker' | 'judge'

export type TurnRole = 'planner' | 'worker' | 'judge' | 'summary'

export type TurnOutcome = 'reply' | 'failure' | 'aborted'

export type SignalAction = 'approve' | 'reject' | 'submit_input'

export type ReadKind = 'private' | 'untrusted' | 'sensitive'

export type InputKind = 'approval' | 'rejection' | 'payload'

export type Classification = 'pii' | 'financial' | 'health' | 'credential' | 'proprietary'

export type Redaction = 'mask' | 'drop'

export type DecisionType = 'continue' | 'replan' | 'stop' | 'await_input'

export type StepOutcome = 'succeeded' | 'retry_step' | 'fail_run'

export type ToolOutcome = 'succeeded' | 'failed' | 'timeout' | 'policy_denied'

export type LimitType = 'cost_ceiling' | 'duration_limit'

export type UsageEventType = 'run.created' | 'task.completed' | 'tool.invoked' | 'tokens.consumed'

export type Granularity = 'hour' | 'day' | 'month'

export type BudgetLevel = 'customer' | 'workspace' | 'subject'

export type BudgetPeriod = 'day' | 'month'

export type MemoryKind = 'fact' | 'preference' | 'procedure' | 'episode'

export type MemoryStatus = 'active' | 'superseded' | 'archived'

export type Scope =
  | 'runs:read'
  | 'runs:write'
  | 'runs:signal'
  | 'runs:admin'
  | 'usage:read'
  | 'memory:read'
  | 'keys:admin'
  | 'webhooks:admin'
  | 'audit:read'
  | 'tokens:create'
  | 'links:create'

export type TokenScope =
  | 'runs:read'
  | 'runs:write'
  | 'runs:signal'
  | 'runs:admin'
  | 'usage:read'
  | 'memory:read'
  | 'audit:read'

export type ToolSource = 'built-in' | 'own' | 'mcp'

export type ToolEffect = 'read' | 'idempotent' | 'once'

export type PolicyRule = 'allow' | 'ask' | 'deny'

export type JudgeMode = 'each_step' | 'end' | 'never'

export type CatchUpPolicy = 'skip' | 'latest' | 'all'

export type PostFormat = 'standard' | 'slack' | 'teams'

export type WebhookFormat = 'standard' | 'slack' | 'teams' | 'mail'

export type DeliveryState = 'pending' | 'delivered' | 'given_up'

export type AuditAction =
  | 'run.fork'
  | 'run.signal'
  | 'run.cancel'
  | 'run.retry'
  | 'run.resume'
  | 'run.delete'
  | 'run.link'
  | 'memory.delete'
  | 'key.create'
  | 'key.rotate'
  | 'key.revoke'
  | 'budget.set'
  | 'budget.delete'
  | 'schedule.create'
  | 'schedule.update'
  | 'schedule.delete'
  | 'webhook.create'
  | 'webhook.update'
  | 'webhook.rotate'
  | 'webhook.delete'
  | 'customer.create'
  | 'customer.suspend'
  | 'customer.resume'
  | 'customer.set_retention'
  | 'subject.erase'
  | 'person.sign_in'
  | 'person.update'
  | 'person.end_sessions'

export type AuditChannel = 'api' | 'token' | 'console' | 'operator' | 'link'

export type StepState = 'pending' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped'

export type RunInclude =
  | 'title'
  | 'awaiting_input'
  | 'input'
  | 'signals'
  | 'plan'
  | 'agent'
  | 'limits'
  | 'usage'
  | 'failure'
  | 'forked_from'
  | 'steps'
  | 'output'
  | 'created_by'

export type RunListInclude =
  | 'result'
  | 'title'
  | 'agent'
  | 'awaiting_input'
  | 'failure'
  | 'limits'
  | 'usage'
  | 'forked_from'
  | 'steps'
  | 'output'

/** The payload of each type of event. */
export interface EventPayloads {
  'run.created': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    /** Removed on every read */
    input?: Record<string, unknown> | undefined
    /** Removed on every read */
    metadata?: Record<string, unknown> | undefined
    /** Removed on every read */
    attachment_refs?: string[] | undefined
    /** Removed on every read */
    sensitivity_tags?: SensitivityTag[] | undefined
    /** As in the request */
    streaming?: boolean | undefined
    /** As in the request */
    routing_hint?: RoutingHint | undefined
    /** Which role begins, and why */
    routing?:
      | {
          first_role: Role
          decided_by: 'hint' | 'plan' | 'heuristic' | (string & {})
          reason: string
        }
      | undefined
  }
  'run.worker.started': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    from_status: RunStatus
    to_status: RunStatus
    reason_code: EventReason | (string & {}) | null
  }
  'run.worker.succeeded': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    from_status: RunStatus
    to_status: RunStatus
    reason_code: EventReason | (string & {}) | null
  }
  'run.worker.failed': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    from_status: RunStatus
    to_status: RunStatus
    reason_code: EventReason | (string & {}) | null
  }
  'run.worker.stalled': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    from_status: RunStatus
    to_status: RunStatus
    reason_code: EventReason | (string & {}) | null
  }
  'run.worker.retry_scheduled': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    from_status: RunStatus
    to_status: RunStatus
    reason_code: EventReason | (string & {}) | null
  }
  'run.cancelled': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    from_status: RunStatus
    to_status: 'cancelled'
    reason_code?: 'signal_timeout' | undefined
  }
  'run.resumed': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    from_status: RunStatus
    to_status: 'running' | 'queued'
  }
  'run.limit_exceeded': {
    limitType: LimitType
    /** What the run has used */
    currentValue: number
    /** The limit of the run */
    threshold: number
    unit: 'tokens' | 'seconds'
  }
  'step.progress': {
    task_id?: string | undefined
    kind: 'content_delta' | 'tool_call_start' | 'tool_call_done'
    /** With kind `content_delta`: the text to append */
    content_delta?: string | undefined
    /** With the other kinds: the call */
    tool_call_id?: string | undefined
    tool_name?: string | undefined
    request_id?: string | undefined
  }
  'step.done': {
    task_id?: string | undefined
    /** The result: the text of an agent step, the output of a tool step as JSON */
    content: string
    /** `retry_step`: the step is tried again. `fail_run`: the run fails */
    outcome: StepOutcome
    reason_code?: EventReason | (string & {}) | undefined
    /** What the model provider said, if its call failed */
    provider_error_message?: string | undefined
    request_id?: string | undefined
  }
  'run.tool.invoked': {
    /** The same in `step.progress`, and sent to the tool */
    tool_call_id: string
    tool_name: string
    tool_outcome: ToolOutcome
    /** A shortened form without sensitive values */
    tool_input_summary: {
      schema_version: 'v1'
      preview: string | null
      highlights: {
        key: string
        value: string
        redacted: boolean
      }[]
      stats: {
        fields_total: number
        fields_redacted: number
        bytes_before_redaction: number
        bytes_after_redaction: number
      }
      truncated: boolean
    }
    /** The same for what the tool returned */
    tool_output_summary: {
      schema_version: 'v1'
      preview: string | null
      highlights: {
        key: string
        value: string
        redacted: boolean
      }[]
      stats: {
        fields_total: number
        fields_redacted: number
        bytes_before_redaction: number
        bytes_after_redaction: number
      }
      truncated: boolean
    }
    /** Why the call was denied; otherwise null */
    policy_reason_code: EventReason | (string & {}) | null
    duration_ms: number
  }
  'run.coordination.decision': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    decision_type: DecisionType
    /** A code of the service, or of the plan or the script of the run */
    reason_code: EventReason | (string & {})
    role: Role
    /** What the judge decided, in its words */
    judge_decision?:
      | {
          decision: string
          reason: string
        }
      | undefined
  }
  'run.awaiting_input': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    /** A code of the service, or of the plan or the script of the run */
    reason_code: EventReason | (string & {})
    /** What kind of answer is expected. Every action is accepted */
    input_kind?: InputKind | undefined
  }
  'run.signal_applied': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    action: 'approve' | 'reject'
  }
  'run.input_received': {
    /** Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one */
    request_id: string
    action: 'submit_input'
  }
}
export type EventPayload<T extends EventType> = EventPayloads[T]

export type ErrorClass =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'gone'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable'
