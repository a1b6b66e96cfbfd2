// The prose of the published schema: what each route does, what each parameter means, and the introduction.
import type { RouteName } from '../routes.ts'

export const introduction = `Runwright executes agent runs asynchronously: create a run, follow its events, answer it when it waits.

**Authentication**: \`Authorization: Bearer <key_id>:<secret>\`. Everything is scoped to the customer of the key; what belongs to another customer answers 404.

**Errors** carry \`error\` (the class), \`reason_code\` (for programs), \`message\` (for people) and \`request_id\`. 400, 401, 403 and 404 are permanent; retry 429, 500 and 503 with exponential backoff from 1 s up to 30 s, and not before \`Retry-After\`.

**Ids** are opaque. A malformed id answers 404, like an unknown one.

**Growth**: answers may gain fields and events may gain types; ignore what you do not know. Requests are strict: an unknown field or query parameter is refused.`

export interface Tag {
  readonly name: string
  readonly description: string
  readonly paths: RegExp
}

/** In the order in which they are shown; each path matches one. */
export const tags: readonly Tag[] = [
  { name: 'Runs', description: 'Create, observe and steer runs', paths: /^\/v1\/runs(?!.*\/events)/ },
  { name: 'Events', description: 'What happened in a run, in order', paths: /^\/v1\/runs\/.*\/events/ },
  { name: 'Usage', description: 'Metering data; no prices', paths: /^\/v1\/usage/ },
  { name: 'Budgets', description: 'Tokens that may be spent in a day or a month', paths: /^\/v1\/budgets/ },
  { name: 'Memory', description: 'What runs remembered, read-only', paths: /^\/v1\/memory/ },
  { name: 'Keys', description: "The customer's API keys", paths: /^\/v1\/keys/ },
  { name: 'Health', description: 'Probes, open to everyone', paths: /^\/health/ },
  { name: 'Schema', description: 'This document, open to everyone', paths: /^\/openapi/ },
]

const budgetTexts = {
  get: '`used` is what was spent in the current day or month of UTC.',
  put: 'Makes the budget or replaces it. What was spent in the current period before counts, too. In force everywhere within 5 s: a run that is taken up, or calls a model, once the tokens are spent ends with `run.limit_exceeded` (`cost_ceiling`).',
  remove: 'In force everywhere within 5 s. Answers with the budget as it was.',
  label: 'The label stands percent-encoded in the path.',
}

export const descriptions: Readonly<Record<RouteName, string>> = {
  createRun:
    'Enqueues a run and answers at once. The same `idempotency-key` with the same body (key order and white space do not matter) answers 200 with the run as it was at creation; with a different body 409. A refused request does not use the key up.\n\nKeys of `input` and `metadata` that look sensitive (password, secret, token, ssn, credit, apiKey …) need `sensitivity_tags`.\n\nWith the sandbox model, `input.sandbox` scripts the run: see the schema SandboxScript.',
  listRuns: 'Filters combine. `next_cursor` is null on the last page.',
  getRun:
    'Poll until `status` is `succeeded`, `failed` or `cancelled`, or follow the events instead. A run that waits for input is `running`; `include=awaiting_input` tells what it waits for.',
  cancelRun: 'Best effort: the run may finish first. Valid until the run has ended. A body is ignored.',
  retryRun:
    'Valid only for a `failed` run. Finished steps are kept, the failed one runs again. Token totals and the duration clock go on, so a run that hit a hard limit hits it again. A body is ignored.',
  resumeRun: 'Valid only for a `stalled` run; stalled runs also recover by themselves a few times. A body is ignored.',
  signalRun:
    '`approve` goes on, `reject` fails the run, `submit_input` injects `payload` and goes on. The key of the body or, without one, of the header makes the signal safe to repeat: the same key answers like the first time, the same key with other content 409. `await_seq` protects from answering a later wait.\n\nSome guides spell the refusals `run_not_awaiting_input`, `invalid_signal_type` and `run_not_found`; the service answers `RUN_NOT_AWAITING_INPUT`, `SIGNAL_PAYLOAD_INVALID` and `RUN_NOT_FOUND`.',
  pollEvents: 'Pass `next_cursor` as `cursor` to read only what is newer.',
  streamEvents:
    'Each message has the event name `run_event`, the `seq` as its id and one Event as JSON in its data. The stream closes after an idle time, and soon after the run has ended. To go on, reconnect with `cursor` (or `Last-Event-ID`; the larger wins) set to the last `seq`; drop what you have seen, since delivery may repeat.\n\nA failure inside an open stream is a message named `error` whose data is the error envelope; then the stream closes. Comments keep the connection awake.',
  getUsage:
    'Rows are one per event type and period, without zero rows, ordered by period, event type, workspace and subject. `tokens.consumed` sums the tokens of the period. An answer of more than 50,000 rows is refused with 400: ask for a shorter range or a coarser `granularity`.\n\nWith `Accept: text/csv` the same rows come as CSV (RFC 4180) under a line of their names; null is an empty field, and a label that a spreadsheet would take for a formula gets a leading apostrophe.',
  listUsageEvents:
    'One record for each thing that was counted, newest first; the filters and the range are those of `/v1/usage`, and the sums of a range are those of its records. `run_id` and `key` together name a record for good. `next_cursor` is null on the last page.',
  listBudgets:
    'That of the customer first, then those of workspaces and of subjects in the order of their labels. Takes no query parameters.',
  getCustomerBudget: budgetTexts.get,
  putCustomerBudget: budgetTexts.put,
  deleteCustomerBudget: budgetTexts.remove,
  getWorkspaceBudget: `${budgetTexts.get} ${budgetTexts.label}`,
  putWorkspaceBudget: `${budgetTexts.put} ${budgetTexts.label}`,
  deleteWorkspaceBudget: `${budgetTexts.remove} ${budgetTexts.label}`,
  getSubjectBudget: `${budgetTexts.get} ${budgetTexts.label}`,
  putSubjectBudget: `${budgetTexts.put} ${budgetTexts.label}`,
  deleteSubjectBudget: `${budgetTexts.remove} ${budgetTexts.label}`,
  exportMemory: 'One Markdown file an item, with YAML front matter, and an `index.md`.',
  listMemory: 'Items of every status unless `status` asks for one.',
  getMemory: 'Harness-internal items are found by id, too.',
  createKey:
    "The secret is in this answer only. Scopes default to the caller's own without `keys:admin`; one that the caller lacks answers 403. The body may be left out.",
  listKeys: 'Revoked and expired keys are listed, too. Secrets are not. Takes no query parameters.',
  rotateKey:
    'The key keeps its id and gets a new secret; the old one stays valid for the overlap. Rotating a revoked key answers 404. The body may be left out.',
  revokeKey: 'In force everywhere within 5 s, on open streams within 30 s. Revoking again answers the same.',
  getSchema: 'OpenAPI 3.1. For people: `/docs`.',
  getLive: 'Answers as long as the process does.',
  getReady: '503 while the service starts or shuts down.',
  getDependencies: '503 when one of them is down.',
}

export const successTexts: Readonly<Record<RouteName, Readonly<Record<number, string>>>> = {
  createRun: { 201: 'Created', 200: 'Replayed: a run was created with this key and body before' },
  listRuns: { 200: 'A page of runs' },
  getRun: { 200: 'The run, with what `include` asked for' },
  cancelRun: { 200: 'Cancelled' },
  retryRun: { 200: 'Enqueued again' },
  resumeRun: { 200: 'Enqueued again' },
  signalRun: { 200: 'Applied, now or by an earlier request with the same key' },
  pollEvents: { 200: 'The events after the cursor, oldest first' },
  streamEvents: { 200: 'Server-Sent Events; each `run_event` holds one Event' },
  getUsage: { 200: 'Usage rows and the range they cover' },
  listUsageEvents: { 200: 'A page of records' },
  listBudgets: { 200: 'The budgets' },
  getCustomerBudget: { 200: 'The budget' },
  putCustomerBudget: { 200: 'The budget as it is now' },
  deleteCustomerBudget: { 200: 'Taken away' },
  getWorkspaceBudget: { 200: 'The budget' },
  putWorkspaceBudget: { 200: 'The budget as it is now' },
  deleteWorkspaceBudget: { 200: 'Taken away' },
  getSubjectBudget: { 200: 'The budget' },
  putSubjectBudget: { 200: 'The budget as it is now' },
  deleteSubjectBudget: { 200: 'Taken away' },
  exportMemory: { 200: 'The files of the tree' },
  listMemory: { 200: 'A page of items' },
  getMemory: { 200: 'The item' },
  createKey: { 201: 'Made' },
  listKeys: { 200: 'The keys, newest first' },
  rotateKey: { 200: 'Rotated' },
  revokeKey: { 200: 'Revoked' },
  getSchema: { 200: 'The OpenAPI document' },
  getLive: { 200: 'Alive' },
  getReady: { 200: 'Ready', 503: 'Not ready, or refused:\n' },
  getDependencies: { 200: 'All dependencies are up', 503: 'One dependency is down, or refused:\n' },
}

/** By name; a description in the schema itself goes before. */
export const parameterTexts: Readonly<Record<string, string>> = {
  awaiting_input: 'Only runs that wait for input (or, with false, that do not)',
  cursor: 'Only events with a larger `seq`; 0 is the beginning',
  end: 'End of the range, exclusive; now if left out',
  event_type: '`run.created`, `task.completed`, `tool.invoked` or `tokens.consumed`',
  granularity: 'Length of a period; `day` if left out',
  group_by: 'Comma list of `workspace_id` and `subject_id`: one row for each',
  include: 'Comma list of parts to add: `awaiting_input`, `plan`, `limits`, `usage`, `failure`',
  include_embedding: 'Add the embedding vector',
  include_harness: 'Harness-internal items, too',
  limit: 'How many at most',
  offset: 'How many to skip',
  run_class: 'Only runs of this class',
  start: 'Start of the range, inclusive; the start of the current UTC month if left out',
  status: 'Only this status',
  subject_id: 'Only what is attributed to this subject',
  workspace_id: 'Only what is attributed to this workspace',
}
