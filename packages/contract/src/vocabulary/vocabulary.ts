// The closed vocabularies of the protocol: statuses, classes, roles, actions and so on. Each list is written only here.

export const runStatuses = ['queued', 'running', 'stalled', 'succeeded', 'failed', 'cancelled'] as const
export type RunStatus = (typeof runStatuses)[number]

export const runClasses = ['default', 'short', 'long'] as const
export type RunClass = (typeof runClasses)[number]

export const routingHints = ['skip_planning', 'require_planning'] as const
export type RoutingHint = (typeof routingHints)[number]

export const roles = ['planner', 'worker', 'judge'] as const
export type Role = (typeof roles)[number]

/** What a call to a model was for. A summary is written by the worker's model. */
export const turnRoles = [...roles, 'summary'] as const
export type TurnRole = (typeof turnRoles)[number]

export const turnOutcomes = ['reply', 'failure', 'aborted'] as const
export type TurnOutcome = (typeof turnOutcomes)[number]

export const signalActions = ['approve', 'reject', 'submit_input'] as const
export type SignalAction = (typeof signalActions)[number]

/**
 * What a run has read: private data, text from an untrusted source, and a tagged value that its models were not shown
 * but may have found out.
 */
export const readKinds = ['private', 'untrusted', 'sensitive'] as const
export type ReadKind = (typeof readKinds)[number]

export const inputKinds = ['approval', 'rejection', 'payload'] as const
export type InputKind = (typeof inputKinds)[number]

export const classifications = ['pii', 'financial', 'health', 'credential', 'proprietary'] as const
export type Classification = (typeof classifications)[number]

export const redactions = ['mask', 'drop'] as const
export type Redaction = (typeof redactions)[number]

export const decisionTypes = ['continue', 'replan', 'stop', 'await_input'] as const
export type DecisionType = (typeof decisionTypes)[number]

export const stepOutcomes = ['succeeded', 'retry_step', 'fail_run'] as const
export type StepOutcome = (typeof stepOutcomes)[number]

export const toolOutcomes = ['succeeded', 'failed', 'timeout', 'policy_denied'] as const
export type ToolOutcome = (typeof toolOutcomes)[number]

export const limitTypes = ['cost_ceiling', 'duration_limit'] as const
export type LimitType = (typeof limitTypes)[number]

export const usageEventTypes = ['run.created', 'task.completed', 'tool.invoked', 'tokens.consumed'] as const
export type UsageEventType = (typeof usageEventTypes)[number]

export const granularities = ['hour', 'day', 'month'] as const
export type Granularity = (typeof granularities)[number]

export const budgetLevels = ['customer', 'workspace', 'subject'] as const
export type BudgetLevel = (typeof budgetLevels)[number]

export const budgetPeriods = ['day', 'month'] as const
export type BudgetPeriod = (typeof budgetPeriods)[number]

export const memoryKinds = ['fact', 'preference', 'procedure', 'episode'] as const
export type MemoryKind = (typeof memoryKinds)[number]

export const memoryStatuses = ['active', 'superseded', 'archived'] as const
export type MemoryStatus = (typeof memoryStatuses)[number]

export const scopes = [
  'runs:read',
  'runs:write',
  'runs:signal',
  'runs:admin',
  'usage:read',
  'memory:read',
  'keys:admin',
  'webhooks:admin',
  'audit:read',
  'tokens:create',
  'links:create',
] as const
export type Scope = (typeof scopes)[number]

/** Only keys that name these scopes get them: neither the keys of the first start nor keys without named scopes do. */
export const namedScopes: readonly Scope[] = [
  'runs:admin',
  'webhooks:admin',
  'audit:read',
  'tokens:create',
  'links:create',
]

/** The scopes that a scope includes. A key with `runs:write` may also signal. */
export const includedScopes: Readonly<Partial<Record<Scope, readonly Scope[]>>> = { 'runs:write': ['runs:signal'] }

/** Scopes that a token can have. What it does with another one would outlast it. */
export const tokenScopes = [
  'runs:read',
  'runs:write',
  'runs:signal',
  'runs:admin',
  'usage:read',
  'memory:read',
  'audit:read',
] as const satisfies readonly Scope[]
export type TokenScope = (typeof tokenScopes)[number]

/** Scopes that a token with a subject or a workspace cannot have: what they show is not of one subject. */
export const wholeCustomerScopes: readonly Scope[] = ['audit:read']

/** Scopes that a token for one run can have. */
export const oneRunScopes: readonly Scope[] = ['runs:read', 'runs:write', 'runs:signal', 'runs:admin']

export const builtInTools = [
  'calculator',
  'current_time',
  'wait',
  'http_fetch',
  'run_javascript',
  'json_query',
  'memory_save',
  'memory_search',
] as const

/**
 * Tools that models get from the run itself: to read on in a long result, to search for tools, to call one that was
 * found, and to load a skill. Plans cannot name them, and no other tool has such a name.
 */
export const runTools = ['read_result', 'find_tools', 'call_tool', 'load_skill'] as const

/** Where a tool comes from: the service, a module of the operator, or an MCP server. */
export const toolSources = ['built-in', 'own', 'mcp'] as const
export type ToolSource = (typeof toolSources)[number]

/** What a call of a tool does to the outside world. */
export const toolEffects = ['read', 'idempotent', 'once'] as const
export type ToolEffect = (typeof toolEffects)[number]

/** What policy says about a call: make it, ask a person first, or refuse it. */
export const policyRules = ['allow', 'ask', 'deny'] as const
export type PolicyRule = (typeof policyRules)[number]

/** Which steps of an agent a model judges. The others are judged by rule. */
export const judgeModes = ['each_step', 'end', 'never'] as const
export type JudgeMode = (typeof judgeModes)[number]

/** What becomes of ticks of a schedule that the service missed. */
export const catchUpPolicies = ['skip', 'latest', 'all'] as const
export type CatchUpPolicy = (typeof catchUpPolicies)[number]

/** How the messages of a webhook look: as Standard Webhooks says, or as the chat programs take them. */
export const postFormats = ['standard', 'slack', 'teams'] as const
export type PostFormat = (typeof postFormats)[number]

/** The mail of a customer is a webhook, too, but only the settings of the service make one. */
export const webhookFormats = [...postFormats, 'mail'] as const
export type WebhookFormat = (typeof webhookFormats)[number]

/** What has become of a message to a webhook. */
export const deliveryStates = ['pending', 'delivered', 'given_up'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/**
 * What the audit log records: acts that change who may do what, that a person decides, or that remove data. A create is
 * not one of them: the run says who created it.
 */
export const auditActions = [
  'run.fork',
  'run.signal',
  'run.cancel',
  'run.retry',
  'run.resume',
  'run.delete',
  'run.link',
  'memory.delete',
  'key.create',
  'key.rotate',
  'key.revoke',
  'budget.set',
  'budget.delete',
  'schedule.create',
  'schedule.update',
  'schedule.delete',
  'webhook.create',
  'webhook.update',
  'webhook.rotate',
  'webhook.delete',
  'customer.create',
  'customer.suspend',
  'customer.resume',
  'customer.set_retention',
  'subject.erase',
  'person.sign_in',
  'person.update',
  'person.end_sessions',
] as const
export type AuditAction = (typeof auditActions)[number]

/** How an act reached the service. `operator`: on its host, by a command or a setting. `link`: by a decision link. */
export const auditChannels = ['api', 'token', 'console', 'operator', 'link'] as const
export type AuditChannel = (typeof auditChannels)[number]

/** What stands after the name of who decided, if they did not use the key itself or the console. */
export const channelWords = (via: string): string =>
  via === 'link' ? ' by link' : via === 'token' ? ' with a token' : ''

export const stepKinds = ['agent', 'tool', 'gate', 'planner'] as const
export const stepStates = ['pending', 'running', 'waiting', 'succeeded', 'failed', 'skipped'] as const
export type StepState = (typeof stepStates)[number]

/** Valid values of `include` in `GET /v1/runs/{id}`. */
export const runIncludes = [
  'title',
  'awaiting_input',
  'input',
  'signals',
  'plan',
  'agent',
  'limits',
  'usage',
  'failure',
  'forked_from',
  'steps',
  'output',
  'created_by',
] as const
export type RunInclude = (typeof runIncludes)[number]

/** Valid values of `include` in `GET /v1/runs`. */
export const runListIncludes = [
  'result',
  'title',
  'agent',
  'awaiting_input',
  'failure',
  'limits',
  'usage',
  'forked_from',
  'steps',
  'output',
] as const
export type RunListInclude = (typeof runListIncludes)[number]

export const sseEventName = 'run_event'
/** The messages of the stream of a list of runs. */
export const sseRunsPageName = 'runs.page'
export const sseRunsChangedName = 'runs.changed'
/** The first message of the stream of a customer's events: where it begins. */
export const ssePositionName = 'position'
export const sseErrorName = 'error'
