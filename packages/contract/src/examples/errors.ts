// An example of the error envelope for every reason code. Real messages name the faulty part of the request.
import type { ErrorBody } from '../schemas/errors.ts'
import { errorClasses, type ReasonCode, reasons } from '../vocabulary/reasons.ts'
import { requestIds, runId } from './ids.ts'

const messages: Readonly<Record<ReasonCode, string>> = {
  IDEMPOTENCY_KEY_REQUIRED:
    'The idempotency-key header is required: send it once, with 1 to 255 printable ASCII characters.',
  IDEMPOTENCY_KEY_INVALID:
    'The idempotency-key header is malformed: send it once, with 1 to 255 printable ASCII characters, or omit it.',
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
  RUNS_QUERY_PARAMS_INVALID: 'include: must name awaiting_input, plan, agent, limits, usage or failure',
  BUDGETS_QUERY_PARAMS_INVALID: 'Query parameter "limit": must be an integer from 1 to 200.',
  SCHEDULES_QUERY_PARAMS_INVALID: 'Query parameter "cursor": must be a next_cursor that this list returned.',
  WEBHOOKS_QUERY_PARAMS_INVALID: 'Unknown query parameter "page".',
  KEY_PAYLOAD_INVALID: 'expires_at must be in the future.',
  BUDGET_PAYLOAD_INVALID: 'period must be one of day, month.',
  SCHEDULE_PAYLOAD_INVALID: 'cron: must have five fields: minute, hour, day of the month, month, day of the week.',
  WEBHOOK_PAYLOAD_INVALID: 'url: The URL must use https.',
  TOKEN_PAYLOAD_INVALID: 'expires_in: must be an integer from 1 to 3600.',
  LINK_PAYLOAD_INVALID: 'person: no API key with runs:signal belongs to "ada@example.com".',
  AUDIT_QUERY_PARAMS_INVALID: 'Query parameter "limit": must be an integer from 1 to 200.',
  CONTENT_ENCODING_UNSUPPORTED: 'Content-Encoding must be gzip or identity, not "br".',
  REQUEST_MALFORMED: 'Malformed HTTP request.',
  AUTH_HEADER_MISSING: 'The Authorization header is missing. Send Bearer <key_id>:<secret> or Bearer <token>.',
  AUTH_HEADER_MALFORMED:
    'The Authorization header must be Bearer <key_id>:<secret> or Bearer <token>, without white space in the key or token. It can have 1,024 characters with a key, and 8,192 with a token.',
  API_KEY_INVALID: 'The API key is invalid.',
  API_KEY_REVOKED: 'The API key is revoked.',
  API_KEY_EXPIRED: 'The API key has expired.',
  TOKEN_INVALID: 'The token is invalid.',
  TOKEN_EXPIRED: 'The token has expired.',
  SESSION_ENDED: 'The session has ended. Sign in again.',
  SIGN_IN_UNAVAILABLE: 'The identity provider https://login.example.com cannot be reached. Try again.',
  SIGN_IN_CODE_INVALID:
    'This sign-in link was used or has expired. Get a new one with `runwright open`, or restart the service.',
  SCOPE_DENIED: 'The API key does not have the scope runs:write.',
  TOKEN_LIMITED: 'The token is limited to the subject "user-7".',
  TOKEN_ORIGIN_DENIED: 'The token is for pages of https://app.example.com only.',
  APPROVER_REQUIRED: 'This question needs one of the roles finance, board; the caller has none.',
  REAUTH_REQUIRED: 'Sign in again: who answers this question must have signed in within the last 5 minutes.',
  DECISION_LINKS_OFF: 'This service makes no decision links: RUNWRIGHT_DECISION_LINKS is off.',
  CUSTOMER_SUSPENDED: 'The customer is suspended.',
  CROSS_SITE_REQUEST:
    'The cookie of the console is accepted only from the console: its requests have the header x-runwright-console: 1 and come from the same origin.',
  RUN_NOT_FOUND: `There is no run ${runId}`,
  MEMORY_ITEM_NOT_FOUND: 'No memory item has this id.',
  KEY_NOT_FOUND: 'No API key has this id.',
  BUDGET_NOT_FOUND: 'This workspace has no budget.',
  SCHEDULE_NOT_FOUND: 'No schedule has this id.',
  WEBHOOK_NOT_FOUND: 'No webhook has this id.',
  DELIVERY_NOT_FOUND: 'The webhook has no delivery with this id.',
  ROUTE_NOT_FOUND: 'No route has this method and path. GET /openapi.json lists all routes.',
  IDEMPOTENCY_KEY_CONFLICT: 'The idempotency key was used with a different body',
  WEBHOOK_EXISTS:
    'hook_01m7f8njhwf6a8zr2k5m0c3d4e has this name, but another url. Change it with PATCH /v1/webhooks/hook_01m7f8njhwf6a8zr2k5m0c3d4e, or choose another name.',
  LIMIT_REACHED: 'A customer can have at most 20 webhooks. Delete one first.',
  RUN_STATE_CONFLICT: 'A run that has succeeded cannot be cancelled',
  STEP_NOT_FINISHED: 'The run has not finished a step "pay".',
  RUN_NOT_AWAITING_INPUT: 'The run is not awaiting input',
  IDEMPOTENCY_KEY_EXPIRED: 'The run that was created with this idempotency key was removed. Use another key.',
  WEBHOOK_DISABLED: 'The webhook is disabled, because its endpoint answered 410. Resume it first.',
  RATE_LIMITED: 'The API key exceeded its limit of 1000 requests per second. Retry later.',
  STREAM_LIMIT_REACHED: 'The API key already has 1000 open event streams. Close one or poll instead.',
  QUEUE_LIMIT_REACHED: 'The customer has 1,000,000 queued runs; try again in 5 s',
  INTERNAL_ERROR: 'An unexpected error occurred. The log of the service has the details under this request id.',
  SIGNAL_SERVICE_UNAVAILABLE: 'The database is unreachable. Nothing was written. Try again later.',
  OVERLOADED: 'The service is overloaded: it is more than 2 seconds behind. Nothing was written. Try again.',
  SHUTTING_DOWN: 'The service is shutting down. Nothing was written. Try again.',
  CUSTOMER_MOVING: 'The customer is being moved to another cell. Nothing was written. Try again.',
  CELL_UNAVAILABLE: 'The cell of this customer cannot be reached. Try again later.',
  QUERY_TOO_EXPENSIVE:
    'The query took longer than 2 seconds. Narrow it, for example to a shorter time or a workspace, or try again later.',
  DATABASE_UNAVAILABLE: 'The database is unreachable. Nothing was written. Try again later.',
}

export const exampleError = (code: ReasonCode): ErrorBody => ({
  error: errorClasses[reasons[code].status],
  reason_code: code,
  message: messages[code],
  request_id: requestIds.retry,
})
