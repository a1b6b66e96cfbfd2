// @ts-check
// The tables of docs/limits.md. Each row names the constant or the setting that has the number, so that the page
// cannot differ from the code.
import { table } from './docs-reference.mjs'

/** @typedef {import('./docs-reference.mjs').Part} Part */
/** @typedef {(file: string, name: string) => number} FindConstant `file` is that of a module of the server */
/** @typedef {(name: string) => unknown} FindDefault the default of a setting */
/**
 * @typedef {{
 *   contract: Readonly<Record<string, unknown>>,
 *   constant: FindConstant,
 *   defaultOf: FindDefault,
 * }} Sources
 */
/**
 * A constant of the contract, or of a module of the server.
 * @typedef {[what: string, unit: string, name: string, file?: string]} Row
 */
/** @typedef {[what: string, name: string, unit: string]} SettingRow */

/** @type {Readonly<Record<string, readonly Row[]>>} */
const constants = {
  requests: [
    ['the body of a request', 'bytes', 'maxBodyBytes'],
    ['the headers of a request together', 'bytes', 'maxHeaderBytes', 'http/server/request/malformed-request'],
    ['`input` and `metadata` together, as JSON', 'bytes', 'maxPayloadBytes'],
    ['the payload of a signal, as JSON', 'bytes', 'maxPayloadBytes'],
    ['nesting of `input`, `metadata`, `plan` and a payload', 'levels', 'maxJsonDepth'],
    ['`workspace_id`, `subject_id` and other labels', 'characters', 'maxLabelLength'],
    ['an idempotency key', 'characters', 'maxIdempotencyKeyLength'],
    ['`attachment_refs` of a run', '', 'maxAttachmentRefs'],
    ['`sensitivity_tags` of a run', '', 'maxSensitivityTags'],
    ['values that the tags of a run select', '', 'maxTaggedValues'],
    ['receivers in the `allow` of a tag', '', 'maxTagReceivers'],
    ['items of a page', '', 'maxPageSize'],
    ['a page of runs with results, or of events', 'bytes', 'maxPageBytes'],
    ['`wait` of a poll for events', 'seconds', 'maxEventWaitSeconds'],
    ['rows of a usage report', '', 'maxRows', 'http/routes/usage'],
  ],
  plans: [
    ['the plan of a run, as JSON', 'bytes', 'maxPlanBytes'],
    ['steps of a plan', '', 'maxPlanSteps'],
    ['the id of a step', 'characters', 'maxStepIdLength'],
    ['the goal of a plan', 'characters', 'maxGoalLength'],
    ['an instruction', 'characters', 'maxInstructionLength'],
    ['the prompt of a gate', 'characters', 'maxPromptLength'],
    ['tools that a step names', '', 'maxStepTools'],
    ['attempts of a step, by default', '', 'defaultMaxAttempts'],
  ],
  owned: [
    ['API keys that are valid', '', 'maxLiveKeys', 'access/issue-key'],
    ['schedules', '', 'maxSchedules', 'schedules/manage-schedules'],
    ['webhooks', '', 'maxWebhooks', 'webhooks/manage-webhooks'],
    ['budgets', '', 'maxBudgets', 'http/routes/budgets'],
    ['streams of all runs at the same time, per process', '', 'maxPerCustomer', 'http/streams/customer-streams'],
    ['the URL of a webhook', 'characters', 'maxWebhookUrlLength'],
    ['the name of a webhook', 'characters', 'maxWebhookNameLength'],
    ['a cron expression', 'characters', 'maxCronLength'],
  ],
  tools: [
    ['the output of a tool, as JSON', 'bytes', 'maxOutputBytes', 'tools/port/storable-output'],
    ['keys and values of an output', '', 'maxOutputParts', 'tools/port/storable-output'],
    ['`calculator`: the expression', 'characters', 'maxExpressionLength', 'tools/built-in/calculator'],
    ['`wait`', 'seconds', 'maxWaitSeconds', 'tools/built-in/wait'],
    ['`json_query`: the path', 'characters', 'maxPathLength', 'tools/built-in/json-query'],
    ['`run_javascript`: the code', 'characters', 'maxCodeLength', 'tools/run-javascript/run-javascript'],
    ['`run_javascript`: the input, as JSON', 'bytes', 'maxInputBytes', 'tools/run-javascript/run-javascript'],
    ['`http_fetch`: the URL', 'characters', 'maxUrlLength', 'tools/http-fetch/target'],
    ['`http_fetch`: the body of the request', 'bytes', 'maxBodyBytes', 'tools/http-fetch/request-body'],
    ['`http_fetch`: the response', 'bytes', 'maxResponseBytes', 'tools/http-fetch/read-bytes'],
    ['`memory_save`: the title', 'characters', 'maxTitleLength', 'tools/built-in/memory-save'],
    ['`memory_save`: the content', 'characters', 'maxContentLength', 'tools/built-in/memory-save'],
    ['`memory_search`: items', '', 'maxItems', 'tools/built-in/memory-search'],
    ['tools of an MCP server', '', 'maxTools', 'tools/mcp/list-tools'],
    ['tool calls in one reply of a model', '', 'maxCallsPerReply', 'models/provider/reply/incoming-reply'],
  ],
}

/** @type {readonly SettingRow[]} */
const settings = [
  ['requests of a key', 'RUNWRIGHT_RATE_LIMIT_PER_SECOND', 'per second and process'],
  ['queued runs of a customer', 'RUNWRIGHT_QUEUE_LIMIT', ''],
  ['runs that a process executes at a time', 'RUNWRIGHT_WORKER_CONCURRENCY', ''],
  ['open connections of a process', 'RUNWRIGHT_MAX_CONNECTIONS', ''],
  ['the headers of a request must arrive within', 'RUNWRIGHT_HEADERS_TIMEOUT_SECONDS', 'seconds'],
  ['a request must arrive within', 'RUNWRIGHT_REQUEST_TIMEOUT_SECONDS', 'seconds'],
  ['a step', 'RUNWRIGHT_STEP_TIMEOUT_SECONDS', 'seconds'],
  ['steps that a planner may make', 'RUNWRIGHT_MAX_STEPS', ''],
  ['turns of a step', 'RUNWRIGHT_MAX_TURNS', ''],
  ['times that a run is planned again', 'RUNWRIGHT_MAX_REPLANS', ''],
  ['times that a stalled run is recovered', 'RUNWRIGHT_MAX_RECOVERIES', ''],
  ['failed calls to a model are repeated for', 'RUNWRIGHT_PROVIDER_RETRY_SECONDS', 'seconds'],
]

/** @param {Sources} sources @returns {Part[]} */
export function limitParts({ contract, constant, defaultOf }) {
  const numberOf = (/** @type {Row} */ [, , name, file]) =>
    file === undefined ? Number(contract[name]) : constant(file, name)
  const parts = Object.entries(constants).map(([mark, rows]) => ({
    file: 'docs/limits.md',
    mark,
    text: table([['what', 'limit'], ...rows.map((row) => [row[0], amount(numberOf(row), row[1])])]),
  }))
  const rows = settings.map(([what, name, unit]) => [what, amount(Number(defaultOf(name)), unit), `\`${name}\``])
  return [
    ...parts,
    { file: 'docs/limits.md', mark: 'defaults', text: table([['what', 'default', 'setting'], ...rows]) },
  ]
}

/** The files of the server that have such constants. */
export const limitFiles = [
  ...new Set(Object.values(constants).flatMap((rows) => rows.flatMap(([, , , file]) => file ?? []))),
]

/** @param {number} value @param {string} unit */
function amount(value, unit) {
  if (!Number.isFinite(value)) throw new Error(`a limit of docs/limits.md is ${value}`)
  return `${value.toLocaleString('en')} ${unit}`.trim()
}
