// An example of the error envelope for every reason code; real messages name what was wrong in the request.
import type { ErrorBody } from '../errors.ts'
import { errorClasses, type ReasonCode, reasons } from '../reasons.ts'
import { requestIds, runId } from './ids.ts'

const messages: Readonly<Record<ReasonCode, string>> = {
  IDEMPOTENCY_KEY_REQUIRED: 'The header idempotency-key is missing; send 1 to 255 printable ASCII characters',
  INPUT_PAYLOAD_INVALID: 'run_class: must be one of default, short, long',
  INPUT_PAYLOAD_TOO_LARGE: 'input and metadata are 301,204 bytes together; at most 262,144 are allowed',
  INPUT_SENSITIVITY_TAG_REQUIRED: 'input.bank.api_key looks sensitive; tag it in sensitivity_tags',
  INPUT_SENSITIVITY_TAG_INVALID_PATH:
    'sensitivity_tags[0].path: "$.inputs.name" must be a JSONPath below $.input or $.metadata',
  INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION:
    'sensitivity_tags[0].classification: must be one of pii, financial, health, credential, proprietary',
  INPUT_SENSITIVITY_TAG_DUPLICATE_PATH: 'sensitivity_tags[1].path: $.input.name is tagged already',
  INPUT_PLAN_INVALID: 'plan: step "pay" depends on "check", which does not exist',
  SIGNAL_PAYLOAD_INVALID: 'action: must be one of approve, reject, submit_input',
  USAGE_QUERY_PARAMS_INVALID: 'granularity: must be one of hour, day, month',
  EVENTS_QUERY_PARAMS_INVALID: 'limit: must be an integer from 1 to 200',
  MEMORY_QUERY_PARAMS_INVALID: 'status: must be one of active, superseded, archived',
  RUNS_QUERY_PARAMS_INVALID: 'include: must name awaiting_input, plan, limits, usage or failure',
  KEY_PAYLOAD_INVALID: 'expires_at: must lie in the future',
  BUDGET_PAYLOAD_INVALID: 'period must be one of day, month',
  REQUEST_MALFORMED: 'The request could not be read as HTTP',
  AUTH_HEADER_MISSING: 'The header Authorization is missing; send Bearer <key_id>:<secret>',
  AUTH_HEADER_MALFORMED: 'The header Authorization must be Bearer <key_id>:<secret>',
  API_KEY_INVALID: 'The API key is not valid',
  API_KEY_REVOKED: 'The API key was revoked',
  API_KEY_EXPIRED: 'The API key has expired',
  SCOPE_DENIED: 'The API key lacks the scope runs:write',
  CUSTOMER_SUSPENDED: 'The customer is suspended',
  RUN_NOT_FOUND: `There is no run ${runId}`,
  MEMORY_ITEM_NOT_FOUND: 'There is no such memory item',
  KEY_NOT_FOUND: 'There is no such key',
  BUDGET_NOT_FOUND: 'This workspace has no budget',
  ROUTE_NOT_FOUND: 'There is no GET /v1/run',
  IDEMPOTENCY_KEY_CONFLICT: 'The idempotency key was used with a different body',
  RUN_STATE_CONFLICT: 'A run that has succeeded cannot be cancelled',
  RUN_NOT_AWAITING_INPUT: 'The run does not wait for input',
  RATE_LIMITED: 'Too many requests with this key; try again in 1 s',
  STREAM_LIMIT_REACHED: 'This key has 1,000 open event streams; close one first',
  QUEUE_LIMIT_REACHED: 'The customer has 1,000,000 queued runs; try again in 5 s',
  INTERNAL_ERROR: 'Something went wrong on our side',
  SIGNAL_SERVICE_UNAVAILABLE: 'The signal could not be stored; send it again with the same idempotency key',
  OVERLOADED: 'The service is overloaded; nothing was written; try again in 1 s',
  SHUTTING_DOWN: 'The service is shutting down; nothing was written; try again in 1 s',
  DATABASE_UNAVAILABLE: 'The database cannot be reached; try again in 1 s',
}

export const exampleError = (code: ReasonCode): ErrorBody => ({
  error: errorClasses[reasons[code].status],
  reason_code: code,
  message: messages[code],
  request_id: requestIds.retry,
})
