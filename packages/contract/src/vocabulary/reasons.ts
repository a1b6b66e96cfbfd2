// Every reason code of an HTTP error: its status, its error class, when it is returned and what to do about it.

export const errorClasses = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'unavailable',
} as const

export type ErrorStatus = keyof typeof errorClasses
export type ErrorClass = (typeof errorClasses)[ErrorStatus]

interface Reason {
  readonly status: ErrorStatus
  readonly when: string
  readonly remedy: string
}

const reason = (status: ErrorStatus, when: string, remedy: string): Reason => ({ status, when, remedy })

const badQuery = (what: string): Reason =>
  reason(
    400,
    `Invalid ${what} query parameter`,
    'Correct the parameter that the message names. A cursor is valid only for the list that it comes from.',
  )

export const reasons = {
  IDEMPOTENCY_KEY_REQUIRED: reason(
    400,
    'Create or fork without a well-formed `idempotency-key` header (1–255 printable ASCII characters)',
    'Send the header once. Use a key that stays the same when you repeat the request, such as the number of the order.',
  ),
  IDEMPOTENCY_KEY_INVALID: reason(
    400,
    'The `idempotency-key` header is optional, but not well-formed (1–255 printable ASCII characters), or sent twice',
    'Correct the header, or omit it.',
  ),
  INPUT_PAYLOAD_INVALID: reason(400, 'Malformed create or fork body', 'Correct the field that the message names.'),
  INPUT_PAYLOAD_TOO_LARGE: reason(
    400,
    '`input` plus `metadata` over 256 KB',
    'Send large data as `attachment_refs`, or let a tool read it.',
  ),
  INPUT_SENSITIVITY_TAG_REQUIRED: reason(
    400,
    'Sensitive keys without tags',
    'Tag the value in `sensitivity_tags`, or rename the key if its value is not sensitive.',
  ),
  INPUT_SENSITIVITY_TAG_INVALID_PATH: reason(
    400,
    'Tag path is not a JSONPath below `$.input` or `$.metadata`',
    'Correct the path: for example `$.input.bank.api_key`.',
  ),
  INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION: reason(
    400,
    'Unsupported classification',
    'Use one of the classifications that the message lists.',
  ),
  INPUT_SENSITIVITY_TAG_DUPLICATE_PATH: reason(400, 'Duplicate tag path', 'Remove one of the two tags.'),
  INPUT_PLAN_INVALID: reason(400, 'Plan is not a valid v2 plan with steps', 'Correct the step that the message names.'),
  SIGNAL_PAYLOAD_INVALID: reason(400, 'Malformed signal body', 'Correct the field that the message names.'),
  USAGE_QUERY_PARAMS_INVALID: reason(
    400,
    'Invalid usage query parameter',
    'Correct the parameter that the message names.',
  ),
  EVENTS_QUERY_PARAMS_INVALID: reason(
    400,
    'Invalid `cursor`, `limit` or `Last-Event-ID`',
    'Pass the `next_cursor` of the previous page, or the last `seq` that you have seen.',
  ),
  MEMORY_QUERY_PARAMS_INVALID: reason(
    400,
    'Invalid memory query parameter',
    'Correct the parameter that the message names.',
  ),
  RUNS_QUERY_PARAMS_INVALID: reason(
    400,
    'Invalid list query parameter or `include`',
    'Correct the parameter that the message names. A cursor is valid only for the list that it comes from.',
  ),
  BUDGETS_QUERY_PARAMS_INVALID: badQuery('budget'),
  SCHEDULES_QUERY_PARAMS_INVALID: badQuery('schedule'),
  WEBHOOKS_QUERY_PARAMS_INVALID: badQuery('webhook'),
  KEY_PAYLOAD_INVALID: reason(400, 'Malformed key body or query', 'Correct the field that the message names.'),
  BUDGET_PAYLOAD_INVALID: reason(400, 'Malformed budget body or label', 'Correct the field that the message names.'),
  WEBHOOK_PAYLOAD_INVALID: reason(
    400,
    'Malformed webhook body, or a URL that is not allowed',
    'Correct the field that the message names.',
  ),
  SCHEDULE_PAYLOAD_INVALID: reason(
    400,
    'Malformed schedule body, a cron expression that never fires, or an unknown time zone',
    'Correct the field that the message names.',
  ),
  TOKEN_PAYLOAD_INVALID: reason(400, 'Malformed token body', 'Correct the field that the message names.'),
  LINK_PAYLOAD_INVALID: reason(
    400,
    'Malformed body of a decision link, or a person without a key that may signal',
    'Correct the field that the message names.',
  ),
  AUDIT_QUERY_PARAMS_INVALID: reason(
    400,
    'Invalid query parameter of the audit log',
    'Correct the parameter that the message names. A cursor is valid only for the list that it comes from.',
  ),
  CONTENT_ENCODING_UNSUPPORTED: reason(
    400,
    'The body has a `Content-Encoding` other than `gzip` and `identity`',
    'Send the body without compression, or with gzip.',
  ),
  REQUEST_MALFORMED: reason(
    400,
    'Malformed HTTP request, two `Authorization` or `Host` headers, or the request took too long to arrive',
    'Check the HTTP library and the proxies in between.',
  ),
  AUTH_HEADER_MISSING: reason(
    401,
    'No `Authorization` header',
    'Send `Authorization: Bearer <key_id>:<secret>`, or a token in place of the key.',
  ),
  AUTH_HEADER_MALFORMED: reason(
    401,
    '`Authorization` is neither `Bearer <key_id>:<secret>` nor `Bearer <token>`',
    'Send the whole key, with its id, the colon and the secret, or the whole token, and nothing else.',
  ),
  API_KEY_INVALID: reason(
    401,
    'Unknown key id or wrong secret',
    'Check that the key belongs to this installation. A lost secret cannot be recovered: create another key.',
  ),
  API_KEY_REVOKED: reason(401, 'The key was revoked', 'Use another key.'),
  API_KEY_EXPIRED: reason(401, 'The key has expired', 'Create another key. Rotate keys before they expire.'),
  TOKEN_INVALID: reason(
    401,
    'The token was changed, was made by another installation, or has an unknown form',
    'Make another one with `POST /v1/tokens`.',
  ),
  TOKEN_EXPIRED: reason(
    401,
    'The token has expired, or the secret that it was made with is no longer valid',
    'Make another one with `POST /v1/tokens`. Clients can do it in a callback.',
  ),
  SESSION_ENDED: reason(401, 'The session of the console has ended; sign in again', 'Sign in to the console again.'),
  SIGN_IN_CODE_INVALID: reason(
    401,
    'The sign-in link of the console was used, has expired, or is of another machine',
    'Sign in with an API key, or restart the service to get another link.',
  ),
  SCOPE_DENIED: reason(
    403,
    'The key lacks the scope, or creates a key with a scope that it lacks',
    'Use a key that has the scope that the message names.',
  ),
  TOKEN_LIMITED: reason(
    403,
    'The request is beyond the subject, the workspace or the run of the token, or sets up what outlasts it',
    'Omit the label, or use an API key.',
  ),
  TOKEN_ORIGIN_DENIED: reason(
    403,
    'The `Origin` header of the request is not the origin of the token',
    'Use the token only on pages of the origin that it was made for.',
  ),
  APPROVER_REQUIRED: reason(
    403,
    'The caller may not decide about this question',
    'Ask someone who has one of the roles of `awaiting_input.approvers`, or, with `not_requester`, someone else than who created the run.',
  ),
  REAUTH_REQUIRED: reason(
    403,
    'The question needs a person who has just signed in, and the caller has not',
    'Sign in again in the console, through the identity provider, and answer within 5 minutes. An API key cannot answer.',
  ),
  DECISION_LINKS_OFF: reason(
    403,
    'The service makes no decision links',
    'Ask the operator to set `RUNWRIGHT_DECISION_LINKS=on`, or link to the decision page of the console.',
  ),
  CUSTOMER_SUSPENDED: reason(
    403,
    'The customer is suspended',
    'Ask the operator. `runwright customers resume` ends the suspension.',
  ),
  CROSS_SITE_REQUEST: reason(
    403,
    'A request with the cookie of the console that does not come from the console',
    'Use an API key for requests that do not come from the console.',
  ),
  RUN_NOT_FOUND: reason(
    404,
    'Run does not exist or is not accessible to the customer',
    'Check the id, and that the key belongs to the customer of the run.',
  ),
  MEMORY_ITEM_NOT_FOUND: reason(
    404,
    'Memory item does not exist or is not accessible to the customer',
    'Check the id, and that the key belongs to the customer of the item.',
  ),
  KEY_NOT_FOUND: reason(
    404,
    'Key does not exist or is not accessible to the customer',
    'Check the id. `GET /v1/keys` lists the keys.',
  ),
  BUDGET_NOT_FOUND: reason(
    404,
    'The customer has no such budget',
    'Set it with `PUT`. `GET /v1/budgets` lists the budgets.',
  ),
  WEBHOOK_NOT_FOUND: reason(
    404,
    'Webhook does not exist or is not accessible to the customer',
    'Check the id. `GET /v1/webhooks` lists the webhooks.',
  ),
  DELIVERY_NOT_FOUND: reason(
    404,
    'The webhook has no such delivery, or it was deleted',
    'Check the id. `GET /v1/webhooks/{id}/deliveries` lists the deliveries. They are deleted after 7 or 30 days.',
  ),
  SCHEDULE_NOT_FOUND: reason(
    404,
    'Schedule does not exist or is not accessible to the customer',
    'Check the id. `GET /v1/schedules` lists the schedules.',
  ),
  ROUTE_NOT_FOUND: reason(
    404,
    'No such path or method',
    'Check method and path. `GET /openapi.json` lists all routes.',
  ),
  IDEMPOTENCY_KEY_CONFLICT: reason(
    409,
    'The idempotency key was used with a different body or id. Or another API key or person used it first, and the response has a secret or the question has rules about who may approve',
    'Use another key for another request. Do not repeat the request as it is.',
  ),
  WEBHOOK_EXISTS: reason(
    409,
    'Another webhook has this name, or has this URL and neither has a name',
    'Change the webhook that the message names, or choose another name.',
  ),
  LIMIT_REACHED: reason(
    409,
    'The customer has as many of these as it can have; the message says how many',
    'Delete those that are not used, or wait as the message says.',
  ),
  RUN_STATE_CONFLICT: reason(
    409,
    'Run not in a valid state for cancel, retry, resume or delete, or ended too long ago for a fork',
    'Read the run. If you repeated a command, the first one took effect.',
  ),
  STEP_NOT_FINISHED: reason(
    409,
    'The run has not finished the step that `from_step` of a fork names',
    'Name a step that has finished. `include=plan` shows the steps of the run, and its turns name them, too.',
  ),
  RUN_NOT_AWAITING_INPUT: reason(
    409,
    'The run is not awaiting input, or `await_seq` is not its current wait',
    'Read the run with `include=awaiting_input`. Someone else may have answered.',
  ),
  IDEMPOTENCY_KEY_EXPIRED: reason(
    410,
    'The run that was created with the idempotency key was removed in the last 30 days',
    'Do not repeat the request. To run it again, use another key.',
  ),
  WEBHOOK_DISABLED: reason(
    409,
    'The webhook is disabled, because its endpoint answered 410, or because the settings of the service send this customer no mail any more',
    'Resume it with `PATCH /v1/webhooks/{id}` and `{ "paused": false }`, or delete it. For mail, ask the operator.',
  ),
  RATE_LIMITED: reason(
    429,
    'Too many requests with this key or of this customer, or too many large reads or output schemas at once',
    'Repeat the request after `Retry-After` seconds.',
  ),
  STREAM_LIMIT_REACHED: reason(
    429,
    'Too many open event streams and waiting polls with this key or of this customer',
    'Close streams that are not used, or poll without `wait`.',
  ),
  QUEUE_LIMIT_REACHED: reason(
    429,
    'The customer has too many queued runs',
    'Repeat the request after `Retry-After` seconds, with the same idempotency key.',
  ),
  INTERNAL_ERROR: reason(
    500,
    'Unexpected error in the service',
    'Repeat the request with the same idempotency key. If it fails again, report the `request_id` to the operator.',
  ),
  SIGNAL_SERVICE_UNAVAILABLE: reason(
    500,
    'The signal could not be stored, because the database cannot be reached',
    'Repeat the signal with the same idempotency key.',
  ),
  OVERLOADED: reason(
    503,
    'The service is more than 2 s behind, is too busy to use the database, has no free connection to it, has too many open connections, or took more than 5 s to compile an output schema; nothing was written',
    'Repeat the request after `Retry-After` seconds, with the same idempotency key.',
  ),
  SHUTTING_DOWN: reason(
    503,
    'The service is shutting down; nothing was written',
    'Repeat the request after `Retry-After` seconds. Another process, or the next start, answers it.',
  ),
  CUSTOMER_MOVING: reason(
    503,
    'The customer is being moved to another cell, which takes seconds; nothing was written',
    'Repeat the request after `Retry-After` seconds, with the same idempotency key.',
  ),
  CELL_UNAVAILABLE: reason(
    503,
    'The cell of the customer cannot be reached through the gate, or does not answer it',
    'Repeat the request after `Retry-After` seconds, with the same idempotency key.',
  ),
  SIGN_IN_UNAVAILABLE: reason(
    503,
    'The identity provider cannot be asked for the groups of the person now',
    'Repeat the request after `Retry-After` seconds. The session goes on when the provider answers.',
  ),
  QUERY_TOO_EXPENSIVE: reason(
    503,
    'The database took longer than 2 s to answer a list or a sum',
    'Narrow the query, for example to a shorter time or a workspace. If it was quick before, try again later.',
  ),
  DATABASE_UNAVAILABLE: reason(
    503,
    'The database cannot be reached, or it refuses writes because its disk is full or it is read-only',
    'Repeat the request with the same idempotency key. `GET /health/deps` shows the state of the database.',
  ),
} as const

export type ReasonCode = keyof typeof reasons

/** Only for requests of the console, which signs in with a cookie. The routes of the API do not list them. */
export const consoleReasons = [
  'SESSION_ENDED',
  'SIGN_IN_CODE_INVALID',
  'SIGN_IN_UNAVAILABLE',
  'CROSS_SITE_REQUEST',
] as const satisfies readonly ReasonCode[]

export const reasonCodes = Object.keys(reasons) as ReasonCode[]

/** All but those. */
export const publicReasonCodes = reasonCodes.filter((code) => !(consoleReasons as readonly ReasonCode[]).includes(code))

/** What a route with an optional idempotency key can return because of it. */
export const repeatReasons = [
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_KEY_CONFLICT',
] as const satisfies readonly ReasonCode[]

/** What a create can return in addition to what every route can. */
export const createReasons = [
  'IDEMPOTENCY_KEY_REQUIRED',
  'INPUT_PAYLOAD_INVALID',
  'INPUT_PAYLOAD_TOO_LARGE',
  'INPUT_SENSITIVITY_TAG_REQUIRED',
  'INPUT_SENSITIVITY_TAG_INVALID_PATH',
  'INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION',
  'INPUT_SENSITIVITY_TAG_DUPLICATE_PATH',
  'INPUT_PLAN_INVALID',
  'IDEMPOTENCY_KEY_CONFLICT',
  'IDEMPOTENCY_KEY_EXPIRED',
  'QUEUE_LIMIT_REACHED',
] as const satisfies readonly ReasonCode[]
