// The table of all metrics. The registry, docs/metrics.md and the checks of dashboards and alerts are derived from it.
//
// A label has few values, all known to the operator: no customer, no run, no text of a client or a model.

export interface MetricDefinition {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** The upper bounds of a histogram. */
  readonly buckets?: readonly number[]
  /** How the values of several processes of one service become one. Default: they are added. */
  readonly aggregator?: 'max'
}

const shortTimes = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const longTimes = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const sizes = [1, 2, 5, 10, 20, 50, 100, 200]

export const metricTable = {
  // Of the whole database: every process reports the same values. Counted when they are asked for, up to a limit.
  queueDepth: {
    name: 'runwright_queue_depth',
    type: 'gauge',
    labels: ['class'],
    aggregator: 'max',
    help: 'Queued runs in the database. Counted up to 10,000 per class.',
  },
  queueAge: {
    name: 'runwright_queue_age_seconds',
    type: 'gauge',
    labels: ['class'],
    aggregator: 'max',
    help: 'How long the oldest of the counted queued runs has waited for a worker.',
  },
  runs: {
    name: 'runwright_runs',
    type: 'gauge',
    labels: ['state'],
    aggregator: 'max',
    help: 'Runs in the database that are running on a worker, parked until a time, or awaiting input. Counted up to 10,000 per state.',
  },
  webhookBacklog: {
    name: 'runwright_webhook_backlog',
    type: 'gauge',
    labels: [],
    aggregator: 'max',
    help: 'Messages to webhooks in the database that are due and not being sent. Counted up to 10,000.',
  },
  webhookBacklogAge: {
    name: 'runwright_webhook_backlog_age_seconds',
    type: 'gauge',
    labels: [],
    aggregator: 'max',
    help: 'How long the oldest message to a webhook has been due.',
  },
  databaseUp: {
    name: 'runwright_database_up',
    type: 'gauge',
    labels: [],
    aggregator: 'max',
    help: 'Whether the database answered this request for metrics: 1 or 0.',
  },

  // The work of this process.
  created: {
    name: 'runwright_runs_created_total',
    type: 'counter',
    labels: [],
    help: 'Runs that were created.',
  },
  ended: {
    name: 'runwright_runs_ended_total',
    type: 'counter',
    labels: ['status'],
    help: 'Runs that ended, by their status.',
  },
  stalled: {
    name: 'runwright_runs_stalled_total',
    type: 'counter',
    labels: ['reason'],
    help: 'Runs that stalled, by reason code.',
  },
  leasesLost: {
    name: 'runwright_leases_lost_total',
    type: 'counter',
    labels: [],
    help: 'Leases that were not renewed in time: the worker died, hung, or gave the run up.',
  },
  claims: {
    name: 'runwright_claims_total',
    type: 'counter',
    labels: ['class'],
    help: 'Runs that a worker claimed.',
  },
  recoveries: {
    name: 'runwright_recoveries_total',
    type: 'counter',
    labels: [],
    help: 'Stalled runs that a worker claimed again.',
  },
  executing: {
    name: 'runwright_runs_executing',
    type: 'gauge',
    labels: ['class'],
    help: 'Runs that this process executes now.',
  },
  places: {
    name: 'runwright_worker_places',
    type: 'gauge',
    labels: [],
    help: 'How many runs this process can execute at the same time.',
  },
  placesAllowed: {
    name: 'runwright_worker_places_allowed',
    type: 'gauge',
    labels: [],
    help: 'How many of these places it uses now: fewer after it fell behind or lost leases.',
  },
  mcpConnected: {
    name: 'runwright_mcp_server_connected',
    type: 'gauge',
    labels: ['server'],
    help: 'How many processes behind this endpoint are connected to the MCP server.',
  },
  steps: {
    name: 'runwright_steps_total',
    type: 'counter',
    labels: ['kind', 'outcome'],
    help: 'Steps that ended, by kind: agent, tool or planner. A failed step may be tried again.',
  },
  turns: {
    name: 'runwright_turns_total',
    type: 'counter',
    labels: ['role'],
    help: 'Calls to models of providers, by the role that the model played.',
  },
  modelCalls: {
    name: 'runwright_model_calls_total',
    type: 'counter',
    labels: ['model', 'outcome'],
    help: 'Calls to models, by model and outcome: reply, aborted, or the reason code of a failure.',
  },
  modelSeconds: {
    name: 'runwright_model_call_duration_seconds',
    type: 'histogram',
    labels: ['model'],
    buckets: longTimes,
    help: 'How long calls to models took.',
  },
  tokens: {
    name: 'runwright_tokens_total',
    type: 'counter',
    labels: ['model', 'kind'],
    help: 'Tokens of calls to models. The kind is input, cached_input, output, reasoning, or unknown if the provider reported only a total.',
  },
  toolCalls: {
    name: 'runwright_tool_calls_total',
    type: 'counter',
    labels: ['tool', 'outcome'],
    help: 'Tool calls. Built-in and own tools have their name; the tools of MCP servers are other.',
  },
  toolSeconds: {
    name: 'runwright_tool_call_duration_seconds',
    type: 'histogram',
    labels: ['tool'],
    buckets: longTimes,
    help: 'How long tool calls took.',
  },

  // The run log and the database, as this process sees them.
  flushItems: {
    name: 'runwright_log_flush_items',
    type: 'histogram',
    labels: ['log'],
    buckets: sizes,
    help: 'How many creates or changes shared one commit.',
  },
  flushSeconds: {
    name: 'runwright_log_flush_duration_seconds',
    type: 'histogram',
    labels: ['log'],
    buckets: shortTimes,
    help: 'How long a commit of creates or changes took.',
  },
  logLag: {
    name: 'runwright_log_lag_seconds',
    type: 'gauge',
    labels: ['log'],
    aggregator: 'max',
    help: 'How long the oldest create or change in the queue of this process has waited for its commit.',
  },
  connections: {
    name: 'runwright_database_connections',
    type: 'gauge',
    labels: ['pool', 'state'],
    help: 'Connections to PostgreSQL, by pool, busy or idle.',
  },
  connectionWaits: {
    name: 'runwright_database_waiting_requests',
    type: 'gauge',
    labels: ['pool'],
    help: 'Statements that wait for a connection, by pool.',
  },
  databaseTrouble: {
    name: 'runwright_database_trouble_total',
    type: 'counter',
    labels: ['pool', 'kind'],
    help: 'Statements that failed because of `disk_full` or `read_only` (the database refuses writes) or `pool_full` (no connection was free in time), by pool. A statement that is repeated counts each time.',
  },

  // Background work.
  removed: {
    name: 'runwright_retention_removed_runs_total',
    type: 'counter',
    labels: [],
    help: 'Runs that were removed because they were past their retention.',
  },
  retentionPass: {
    name: 'runwright_retention_last_pass_timestamp_seconds',
    type: 'gauge',
    labels: [],
    aggregator: 'max',
    help: 'When this process last finished a search for runs past their retention. 0: not since it started.',
  },
  webhookAttempts: {
    name: 'runwright_webhook_attempts_total',
    type: 'counter',
    labels: ['outcome'],
    help: 'Attempts to deliver a message to a webhook, by outcome: delivered, failed, gone, held, interrupted or skipped.',
  },

  // HTTP.
  requests: {
    name: 'runwright_http_requests_total',
    type: 'counter',
    labels: ['method', 'route', 'status'],
    help: 'Responses by method, route and status. Unknown routes are other.',
  },
  requestSeconds: {
    name: 'runwright_http_request_duration_seconds',
    type: 'histogram',
    labels: ['route'],
    buckets: shortTimes,
    help: 'How long requests took. Event streams are left out: they stay open.',
  },
  httpConnections: {
    name: 'runwright_http_connections',
    type: 'gauge',
    labels: [],
    help: 'Open connections to the API, streams included.',
  },
  refusedConnections: {
    name: 'runwright_http_connections_refused_total',
    type: 'counter',
    labels: ['reason'],
    help: 'Connections that were closed, and requests that were refused, because too many connections were open: limit or address.',
  },
  streams: {
    name: 'runwright_event_streams',
    type: 'gauge',
    labels: [],
    help: 'Open event streams and waiting polls.',
  },
  streamLag: {
    name: 'runwright_event_delivery_seconds',
    type: 'histogram',
    labels: [],
    buckets: shortTimes,
    help: 'The time from the commit of an event to its delivery to an open event stream.',
  },

  // The process.
  cpuSeconds: {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    labels: [],
    help: 'CPU time that this process has used.',
  },
  memory: {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    labels: [],
    help: 'Resident memory of this process.',
  },
  loopLag: {
    name: 'runwright_event_loop_lag_seconds',
    type: 'gauge',
    labels: [],
    aggregator: 'max',
    help: 'The longest delay of the event loop since metrics were last read.',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>

export type MetricName = keyof typeof metricTable

export const allMetrics: readonly MetricDefinition[] = Object.values(metricTable)
