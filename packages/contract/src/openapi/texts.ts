// The texts of the published schema: the introduction, what each route does and what each parameter means.
import type { RouteName } from '../routes/routes.ts'

export const introduction = `Runwright executes agent runs asynchronously: create a run, follow its events, and send it input when it waits.

**Authentication**: \`Authorization: Bearer <key_id>:<secret>\`, or a token from \`POST /v1/tokens\`. A key gives access to one customer; resources of other customers return 404.

**Errors** contain \`error\` (the class), \`reason_code\` (for programs), \`message\` (for people) and \`request_id\`. 400, 401, 403 and 404 are permanent. Retry 429, 500 and 503 with exponential backoff from 1 s up to 30 s, and not before \`Retry-After\`.

**Ids** are opaque. A malformed id returns 404, like an unknown one.

**Compatibility**: responses may gain fields, lists with \`x-extensible-enum\` may gain values, and new event types may appear; ignore those you do not know. Requests are strict: an unknown field or query parameter is refused. A deprecated operation sends the headers \`Deprecation\` and \`Sunset\`.

**Lists in queries** are one parameter with commas between the values. **Streams** are Server-Sent Events; their schema is that of the data of one message.`

interface Tag {
  readonly name: string
  readonly description: string
  readonly paths: RegExp
}

/** In display order. Each path matches exactly one. */
export const tags: readonly Tag[] = [
  { name: 'Runs', description: 'Create, observe and control runs', paths: /^\/v1\/runs(?!\/\{id\}\/events)/ },
  { name: 'Events', description: 'What happened in a run, in order', paths: /^\/v1\/(?:runs\/\{id\}\/)?events/ },
  { name: 'Schedules', description: 'Runs that are created at set times', paths: /^\/v1\/schedules/ },
  { name: 'Agents', description: 'The agents that the operator has defined; read-only', paths: /^\/v1\/agents/ },
  { name: 'Tools', description: 'The tools that runs can call; read-only', paths: /^\/v1\/tools/ },
  { name: 'Usage', description: 'Metering data, without prices', paths: /^\/v1\/usage/ },
  { name: 'Budgets', description: 'Limits on the tokens used per day or month', paths: /^\/v1\/budgets/ },
  { name: 'Memory', description: 'What runs have remembered; read-only', paths: /^\/v1\/memory/ },
  { name: 'Tokens', description: 'Short-lived credentials for browsers and end users', paths: /^\/v1\/tokens/ },
  { name: 'Keys', description: 'The API keys of the customer', paths: /^\/v1\/keys/ },
  {
    name: 'Webhooks',
    description: 'Signed messages about events, sent to your own endpoints',
    paths: /^\/v1\/webhooks/,
  },
  { name: 'Audit', description: 'Who did what, as a chain of hashes; read-only', paths: /^\/v1\/audit/ },
  { name: 'Health', description: 'Public probes', paths: /^\/health/ },
  { name: 'Schema', description: 'This document; public', paths: /^\/openapi/ },
]

const budgetTexts = {
  get: '`used` is the number of tokens used in the current UTC day or month.',
  put: 'Creates or replaces the budget. Tokens already used in the current period count. Takes effect everywhere within 5 s. Once the tokens are used up, a run ends with `run.limit_exceeded` (`cost_ceiling`) when a worker picks it up or when it calls a model.',
  remove: 'Takes effect everywhere within 5 s.',
  label: 'Percent-encode the id in the path.',
}

export const descriptions: Readonly<Record<RouteName, string>> = {
  createRun:
    'Enqueues a run and returns immediately. The same `idempotency-key` with the same body (key order and white space do not matter) returns 200 and the run as it was at creation; with a different body it returns 409. A refused request does not consume the key.\n\nKeys of `input` and `metadata` that look sensitive (password, secret, token, ssn, credit, apiKey …) need `sensitivity_tags`.\n\nWith the sandbox model, `input.sandbox` scripts the run: see the schema SandboxScript.',
  listRuns:
    'Filters combine. `next_cursor` is null on the last page; a page may have fewer runs than `limit`. With `agent`, `error` or `q`, a page looks at no more than 10,000 runs, after the other filters: it may have few runs or none and still have a `next_cursor`, which continues after the last run looked at. The `value` of each `event_payload` is null; `include=result` adds the results, up to 4 MiB a page.',
  countRuns:
    'Looks at the newest 10,000 runs of the customer in the range of time; the labels select among them. `complete` is false if there are more. Without labels, runs that await input and stalled ones are counted beyond those, up to 1,000 each.',
  streamRuns:
    'Takes the filters and parts of the list. The first message has the event name `runs.page` and a RunsPage as its data: the first page of the list. Each `runs.changed` after it has a RunsChanged: apply it to the page and order the runs by `metadata.created_at` and `id`, newest first. A change arrives about one second after its commit; changes in between are merged. The page has at most 512 KiB, so it may have fewer runs than `limit`. The stream stays open without changes; comments keep the connection alive. After a reconnect the first message is a whole page again.\n\nAn error on an open stream is a message named `error` whose data is the error envelope; then the stream closes.',
  getRun:
    'Poll until `status` is `succeeded`, `failed` or `cancelled`, or follow the events instead. A run that awaits input is `running`; `include=awaiting_input` shows what it asks, with the whole tool call if an approval is needed.',
  deleteRun:
    'Deletes the run with its input, result, events, turns, signals, usage records and episode. Its usage stays in the totals, and the notes that it saved stay in memory. A run that has not ended returns 409: cancel it first. For 30 days, a create with the idempotency key of the run returns 410.',
  cancelRun:
    'Best effort: the run may finish first. Valid until the run ends. With an `idempotency-key`, a repeated request returns the first response. A body is ignored.',
  retryRun:
    'Valid only for a `failed` run. Finished steps are kept; the failed step runs again. The token total and the duration clock are not reset, so a run that exceeded a limit exceeds it again. With an `idempotency-key`, a repeated request does not retry the run again. A body is ignored.',
  resumeRun:
    'Valid only for a `stalled` run. Stalled runs also recover automatically a few times. With an `idempotency-key`, a repeated request returns the first response. A body is ignored.',
  forkRun:
    'Creates a run with the plan, the labels, the class, the attachments and the tags of the run in the path. It keeps the step `from_step` and everything that the run had finished when that step ended: results, answers, and the plan that was in force. The rest is executed, with the new `input` and `metadata` if they are given. Kept steps have no events and no usage in the fork. Steps that were still executing at that time begin again, and so do their tool calls. A step that finished more than once counts as it finished last.\n\nThe run in the path may be in any state, and does not change. A run that succeeded or was cancelled can be forked for a day after its end, a failed one as long as it exists. The `idempotency-key` works as for a create. `include=forked_from` shows where a run comes from.',
  signalRun:
    '`approve` continues the run, `reject` fails it, `submit_input` passes `payload` to it and continues. An idempotency key, in the body or else in the header, makes the signal safe to repeat: the same key with the same content returns the first result; with different content it returns 409. `await_seq` prevents a signal from reaching a later wait. `include=signals` of the run shows who sent each signal.\n\nWhile the run waits about a tool call, `call` decides otherwise than yes or no: not to make the call, to make it with other arguments, or what its result is. `calls` does so for several calls of one turn.\n\nA question may need one of the roles in `awaiting_input.approvers`, and more than one person. An answer that is not the last one needed is counted: it returns 200, the run goes on waiting, and `awaiting_input.decisions` shows it. Answers count together only if they are the same. One `reject` or `deny` is enough.\n\nSome guides call the errors `run_not_awaiting_input`, `invalid_signal_type` and `run_not_found`; the service returns `RUN_NOT_AWAITING_INPUT`, `SIGNAL_PAYLOAD_INVALID` and `RUN_NOT_FOUND`.',
  listAgents:
    'Ordered by name. The instructions of the agents are not shown. Empty if the service has no agents. Takes no query parameters.',
  listTools:
    'Built-in tools come first, then the own tools of the operator, then those of MCP servers. The tools of an MCP server are those of its last list, also while it is not connected; before the first list it has none. `policy` is for the customer of the key. Takes no query parameters.',
  pollEvents:
    'Pass `next_cursor` as `cursor` to read only newer events. With `wait`, a request that finds no newer event is answered as soon as there is one, or with an empty page when the time is up. If the run has ended, it does not wait. A waiting request counts as an open stream. A page has at most 4 MiB, so it may have fewer events than `limit` although there are more.',
  streamEvents:
    'Each message has the event name `run_event`, the `seq` as its id, and one Event as JSON in its data. The stream closes after an idle timeout, and shortly after the run ends. To continue, reconnect with `cursor` (or `Last-Event-ID`; the larger wins) set to the last `seq`. If the run has ended and `Last-Event-ID` is its last event, the response is 204, and an EventSource stops. Discard events you have already seen: delivery is at least once.\n\nAn error on an open stream is a message named `error` whose data is the error envelope; then the stream closes. Comments keep the connection alive.',
  streamCustomerEvents:
    'The events of each run arrive in order and without gaps, those of all runs in the order of their times. Each message has an id: send that of the last one that you have handled as `cursor` or `Last-Event-ID`, and the stream continues after it and skips nothing. Without one it begins now; its first message is named `position` and has the id of the beginning. The header wins over the parameter. An event arrives within about 100 ms of its commit, or later while an older one is still being committed. Pieces of streamed text are merged a day after the run has ended; a client that continues from such an old position may get some of them again. A customer can have 10 of these streams.\n\nThe stream stays open without events; comments keep the connection alive. An error on an open stream is a message named `error` whose data is the error envelope; then the stream closes.',
  listTurns:
    'Returns every call to a model, repeated and failed ones too: what was sent, what came back, tokens and times. Secrets are masked as in events. Pass `next_after` as `after` to read only newer turns. A page has at most 4 MiB, so it may have fewer turns than `limit` although there are more. The calls of the sandbox model are not recorded.',
  getUsage:
    'Returns one row per event type and period, without zero rows, ordered by period, event type, workspace and subject. `total_quantity` of `tokens.consumed` is the number of tokens. A result of more than 50,000 rows or 32 MiB is refused with 400: request a shorter range or a coarser `granularity`.\n\nWith `Accept: text/csv` the same rows are returned as CSV (RFC 4180) with a header line. Null is an empty field. Where a spreadsheet would read a label, or a part of it after a separator, as a formula, an apostrophe comes first.',
  listUsageEvents:
    'Returns the individual records, newest first, with the filters and range of `/v1/usage`. The totals of a range are the sums of its records and of the records of removed runs, which are not listed. `run_id` and `key` together identify a record permanently. `next_cursor` is null on the last page.',
  listBudgets:
    'The budget of the customer comes first, then those of workspaces and subjects, ordered by id. `next_cursor` is null on the last page. A customer can have 10,000 budgets.',
  getCustomerBudget: budgetTexts.get,
  putCustomerBudget: budgetTexts.put,
  deleteCustomerBudget: budgetTexts.remove,
  getWorkspaceBudget: `${budgetTexts.get} ${budgetTexts.label}`,
  putWorkspaceBudget: `${budgetTexts.put} ${budgetTexts.label}`,
  deleteWorkspaceBudget: `${budgetTexts.remove} ${budgetTexts.label}`,
  getSubjectBudget: `${budgetTexts.get} ${budgetTexts.label}`,
  putSubjectBudget: `${budgetTexts.put} ${budgetTexts.label}`,
  deleteSubjectBudget: `${budgetTexts.remove} ${budgetTexts.label}`,
  exportMemory: 'One Markdown file per item, with YAML front matter, and an `index.md`.',
  listMemory:
    'Returns items of every status unless `status` selects one. A page has as many items as `limit` says, unless it is the last.',
  getMemory: 'Also finds harness-internal items.',
  deleteMemory: 'Deletes the item with its embedding. Searches no longer find it. Takes no query parameters.',
  createKey:
    "Only this response contains the secret, and the response to the same request with the same `idempotency-key` and API key. Scopes default to the caller's own without `keys:admin` and `runs:admin`, and the expiry to the caller's own; a scope that the caller lacks and an expiry after its own return 403. A customer can have 200 keys that are neither revoked nor expired; one more returns 409. The body is optional.",
  listKeys: 'With revoked and expired keys. Secrets are not shown. `next_cursor` is null on the last page.',
  getKey:
    'A revoked key leaves what it has set up: schedules go on creating runs, webhooks go on receiving messages, and the keys that it was shown stay valid. `leaves` lists them, also after the revocation. Pause a schedule with `PATCH /v1/schedules/{id}` and a webhook with `PATCH /v1/webhooks/{id}`, and revoke a key with `DELETE /v1/keys/{id}`. Takes no query parameters.',
  rotateKey:
    'The key keeps its id and gets a new secret; the old one stays valid for the overlap. Older ones stay valid until their own overlaps end; an overlap of 0 ends all of them at once. A key can have 5 old secrets that are valid; one more rotation with an overlap returns 409. A key that rotates itself repeats a request whose response was lost with its old secret and the same `idempotency-key`. Rotating a revoked or expired key returns 404. Rotating a key that has more scopes than the caller, or is valid longer, returns 403; a caller with an old secret is valid until the end of the overlap. The body is optional.',
  revokeKey:
    'Takes effect everywhere within 5 s, on open streams within 30 s. Revoking a revoked key returns the same result. What the key has set up goes on: `GET /v1/keys/{id}` lists it.',
  createDecisionLink:
    'Who opens the link sees the question and decides once, as the person or the role that the body names, without signing in. Opening it decides nothing. The roles and other rules for approvers hold as for a key of that person. A question that depends on which people decide, with `approvals` or `not_requester`, gets no link for a role. The link is signed and not stored. It ends with its time, with the wait, with the key and the secret that made it, and with the key of the person. Off unless the operator has set `RUNWRIGHT_DECISION_LINKS=on`.',
  createToken:
    'The token is signed and not stored. It has the scopes and limits of the request, and ends with its time, with the key and with the secret that made it. With `subject_id` or `workspace_id` it reads and creates only runs with that label: a create gets exactly the labels of the token, and others return 403; foreign runs return 404. With `run_id` it reads and controls that run only. Routes that show or change more return 403 `TOKEN_LIMITED`. All tokens with the same limits share a part of the rate and of the streams of the key. Anyone can read what a token contains: the id of its key, scopes and limits.',
  createSchedule:
    'Each tick of `cron` creates one run, as `POST /v1/runs` with `run` as its body would: with the idempotency key `schedule:<id>:<tick>`, so that a tick never creates two runs. `run` is checked now and at each tick, with the same reason codes as a create; the message begins with `run:`. The schedule belongs to the customer, and goes on when the key that created it is revoked. A customer can have 1,000 schedules; one more returns 409.',
  listSchedules: 'Without `run`, which may be large: get a schedule to see it.',
  getSchedule: 'Takes no query parameters.',
  updateSchedule:
    'Fields that are left out stay as they are. After a change of `cron` or `time_zone`, and after `"paused": false`, the next tick is the first one from now on. A tick that is being created at the same time may still use the previous `run`.',
  deleteSchedule: 'Runs that it has created stay.',
  createWebhook:
    'Only this response contains the secret, and the response to the same request with the same `idempotency-key` and API key. If the customer has a webhook with this `name`, or without a name one that has this URL and no name either, nothing is created: if its URL, format and events are the same, it is returned with 200 and `"secret": null`, otherwise 409 `WEBHOOK_EXISTS` says what differs. Messages are sent about events from now on. The URL must use https and port 443 and lead to the public Internet, unless the operator allows other addresses. A customer can have 20 webhooks; one more returns 409.',
  listWebhooks: 'Newest first. Secrets are not shown. `next_cursor` is null on the last page.',
  getWebhook: 'Takes no query parameters.',
  updateWebhook:
    'Fields that are left out stay as they are. While a webhook is paused, messages about events wait, and are sent when it is resumed; those that have waited for 4 days are given up. `"paused": false` also resumes a webhook whose endpoint answered 410, or keeps failing. What happened while it was disabled is not sent.',
  deleteWebhook: 'Messages that are not delivered yet are not sent.',
  rotateWebhook:
    'The webhook keeps its id and gets a new secret, which only this response contains, and the response to the same request with the same `idempotency-key` and API key. During the overlap each message has a signature with each secret. Older secrets stay valid until their own overlaps end; an overlap of 0 ends all of them at once. A webhook can have 5 old secrets that are valid; one more rotation with an overlap returns 409. The body is optional.',
  testWebhook:
    'Sends a message of the type `webhook.test` like one about an event: signed, and repeated if it fails. It names a run that does not exist. Returns at once; the list of deliveries shows the outcome. A body is ignored.',
  listDeliveries:
    'One delivery for each event that matched when it happened. Delivered ones are deleted after 7 days, given up ones after 30 days. `next_cursor` is null on the last page.',
  redeliver:
    'Sends the message of a delivery again, with the same `webhook-id` and body, and with all its attempts. Later events of the same run wait for it.',
  listAudit:
    'An entry appears about a second after the act. `hash` is the SHA-256 of the canonical JSON (RFC 8785) of the other fields of the entry, and `previous_hash` the hash of the entry before it: an entry that was changed or deleted later is noticed. Creating or rotating a key or a webhook shows its secret to the caller. `next_cursor` is null on the last page.',
  getSchema: 'OpenAPI 3.1. `/docs` shows it as a page.',
  getLive: 'Returns 200 as long as the process responds.',
  getReady:
    'Returns 503 while the database is down or the service shuts down. The 503 has the error envelope beside `status`.',
  getDependencies:
    'Returns 503 if the database or the queue is down. The 503 has the error envelope beside its other fields.',
}

const replayed = 'Replayed: the first response to this idempotency key and body'

export const successTexts: Readonly<Record<RouteName, Readonly<Record<number, string>>>> = {
  createRun: { 201: 'Created', 200: 'Replayed: this key and body already created a run' },
  listRuns: { 200: 'A page of runs' },
  countRuns: { 200: 'The number of runs in each status' },
  streamRuns: { 200: 'Server-Sent Events: one `runs.page`, then `runs.changed`' },
  getRun: { 200: 'The run, with the parts that `include` names' },
  deleteRun: { 200: 'Deleted' },
  cancelRun: { 200: 'Cancelled' },
  retryRun: { 200: 'Enqueued again' },
  resumeRun: { 200: 'Enqueued again' },
  forkRun: { 201: 'Created', 200: 'Replayed: this key and body already created a run' },
  signalRun: { 200: 'Applied by this request or by an earlier one with the same key' },
  listAgents: { 200: 'The agents' },
  listTools: { 200: 'The tools' },
  pollEvents: { 200: 'The events after the cursor, oldest first' },
  streamEvents: {
    200: 'Server-Sent Events; each `run_event` contains one Event',
    204: 'The run has ended, and `Last-Event-ID` is its last event: there is nothing left to send',
  },
  streamCustomerEvents: {
    200: 'Server-Sent Events: one `position`, then a `run_event` with a CustomerEvent for each event',
  },
  listTurns: { 200: 'The turns after `after`, oldest first' },
  getUsage: { 200: 'Usage rows and the range they cover' },
  listUsageEvents: { 200: 'A page of records' },
  listBudgets: { 200: 'A page of budgets' },
  getCustomerBudget: { 200: 'The budget' },
  putCustomerBudget: { 200: 'The new budget' },
  deleteCustomerBudget: { 200: 'Deleted' },
  getWorkspaceBudget: { 200: 'The budget' },
  putWorkspaceBudget: { 200: 'The new budget' },
  deleteWorkspaceBudget: { 200: 'Deleted' },
  getSubjectBudget: { 200: 'The budget' },
  putSubjectBudget: { 200: 'The new budget' },
  deleteSubjectBudget: { 200: 'Deleted' },
  exportMemory: { 200: 'The exported files' },
  listMemory: { 200: 'A page of items' },
  getMemory: { 200: 'The item' },
  deleteMemory: { 200: 'Deleted' },
  createKey: { 201: 'Created', 200: replayed },
  listKeys: { 200: 'A page of keys, newest first' },
  getKey: { 200: 'The key' },
  rotateKey: { 200: 'Rotated' },
  revokeKey: { 200: 'Revoked' },
  createDecisionLink: { 200: 'The link' },
  createToken: { 200: 'The token' },
  createSchedule: { 201: 'Created', 200: replayed },
  listSchedules: { 200: 'A page of schedules, newest first' },
  getSchedule: { 200: 'The schedule' },
  updateSchedule: { 200: 'Changed' },
  deleteSchedule: { 200: 'Deleted' },
  createWebhook: { 201: 'Created', 200: `${replayed}, or the webhook was there already` },
  listWebhooks: { 200: 'A page of webhooks, newest first' },
  getWebhook: { 200: 'The webhook' },
  updateWebhook: { 200: 'Changed' },
  deleteWebhook: { 200: 'Deleted' },
  rotateWebhook: { 200: 'Rotated' },
  testWebhook: { 200: 'The delivery that was added' },
  listDeliveries: { 200: 'A page of deliveries' },
  redeliver: { 200: 'The delivery, pending again' },
  listAudit: { 200: 'A page of entries' },
  getSchema: { 200: 'The OpenAPI document' },
  getLive: { 200: 'Alive' },
  getReady: { 200: 'Ready', 503: 'Not ready' },
  getDependencies: { 200: 'All dependencies are up', 503: 'A dependency is down' },
}

/** By parameter name. A description in the schema itself takes precedence. */
export const parameterTexts: Readonly<Record<string, string>> = {
  action: 'Only this kind of act',
  after: 'Return only turns with a larger `seq`; 0 returns all',
  awaiting_input: '`true`: only runs that await input; `false`: only runs that do not',
  cursor: 'Return only events with a larger `seq`; 0 returns all',
  end: 'End of the range, exclusive. Default: now',
  event_type: '`run.created`, `task.completed`, `tool.invoked` or `tokens.consumed`',
  granularity: 'Length of a period. Default: `day`',
  group_by: 'One row per value of these labels',
  include: 'Parts to add to the response',
  include_embedding: 'Include the embedding vector',
  include_harness: 'Include harness-internal items',
  limit: 'Maximum number of results',
  offset: 'Number of results to skip',
  run_class: 'Only runs of this class',
  start: 'Start of the range, inclusive. Default: the start of the current UTC month',
  status: 'Only this status',
  subject_id: 'Only results attributed to this subject',
  workspace_id: 'Only results attributed to this workspace',
}
