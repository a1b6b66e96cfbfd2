// Every reason code of an HTTP error: its status, its error class and when it is returned.

export const errorClasses = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'unavailable',
} as const

export type ErrorStatus = keyof typeof errorClasses
export type ErrorClass = (typeof errorClasses)[ErrorStatus]

interface Reason {
  readonly status: ErrorStatus
  readonly when: string
}

const reason = (status: ErrorStatus, when: string): Reason => ({ status, when })

export const reasons = {
  IDEMPOTENCY_KEY_REQUIRED: reason(
    400,
    'Create without a well-formed `idempotency-key` header (1–255 printable ASCII characters)',
  ),
  INPUT_PAYLOAD_INVALID: reason(400, 'Malformed create body'),
  INPUT_PAYLOAD_TOO_LARGE: reason(400, '`input` plus `metadata` over 256 KB'),
  INPUT_SENSITIVITY_TAG_REQUIRED: reason(400, 'Sensitive keys without tags'),
  INPUT_SENSITIVITY_TAG_INVALID_PATH: reason(400, 'Tag path is not a JSONPath below `$.input` or `$.metadata`'),
  INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION: reason(400, 'Unsupported classification'),
  INPUT_SENSITIVITY_TAG_DUPLICATE_PATH: reason(400, 'Duplicate tag path'),
  INPUT_PLAN_INVALID: reason(400, 'Plan is not a valid v2 plan with steps'),
  SIGNAL_PAYLOAD_INVALID: reason(400, 'Malformed signal body'),
  USAGE_QUERY_PARAMS_INVALID: reason(400, 'Invalid usage query parameter'),
  EVENTS_QUERY_PARAMS_INVALID: reason(400, 'Invalid `cursor`, `limit` or `Last-Event-ID`'),
  MEMORY_QUERY_PARAMS_INVALID: reason(400, 'Invalid memory query parameter'),
  RUNS_QUERY_PARAMS_INVALID: reason(400, 'Invalid list query parameter or `include`'),
  KEY_PAYLOAD_INVALID: reason(400, 'Malformed key body or query, or the customer has too many keys'),
  BUDGET_PAYLOAD_INVALID: reason(400, 'Malformed budget body, label or query'),
  REQUEST_MALFORMED: reason(
    400,
    'Malformed HTTP request, two `Authorization` or `Host` headers, or the request took too long to arrive',
  ),
  AUTH_HEADER_MISSING: reason(401, 'No `Authorization` header'),
  AUTH_HEADER_MALFORMED: reason(401, '`Authorization` is not `Bearer <key_id>:<secret>`'),
  API_KEY_INVALID: reason(401, 'Unknown key id or wrong secret'),
  API_KEY_REVOKED: reason(401, 'The key was revoked'),
  API_KEY_EXPIRED: reason(401, 'The key has expired'),
  SESSION_ENDED: reason(401, 'The session of the console has ended; sign in again'),
  SIGN_IN_CODE_INVALID: reason(401, 'The sign-in link of the console was used, has expired, or is of another machine'),
  SCOPE_DENIED: reason(403, 'The key lacks the scope, or cannot hand on so much'),
  CUSTOMER_SUSPENDED: reason(403, 'The customer is suspended'),
  CROSS_SITE_REQUEST: reason(403, 'A request with the cookie of the console that does not come from the console'),
  RUN_NOT_FOUND: reason(404, 'Run does not exist or is not accessible to the customer'),
  MEMORY_ITEM_NOT_FOUND: reason(404, 'Memory item does not exist or is not accessible to the customer'),
  KEY_NOT_FOUND: reason(404, 'Key does not exist or is not accessible to the customer'),
  BUDGET_NOT_FOUND: reason(404, 'The customer has no such budget'),
  ROUTE_NOT_FOUND: reason(404, 'No such path or method'),
  IDEMPOTENCY_KEY_CONFLICT: reason(409, 'The idempotency key was used with a different body'),
  RUN_STATE_CONFLICT: reason(409, 'Run not in a valid state for cancel, retry or resume'),
  RUN_NOT_AWAITING_INPUT: reason(409, 'The run is not waiting for input, or `await_seq` is not its current wait'),
  RATE_LIMITED: reason(429, 'Too many requests with this key or of this customer, or too many large reads at once'),
  STREAM_LIMIT_REACHED: reason(429, 'Too many open event streams with this key or of this customer'),
  QUEUE_LIMIT_REACHED: reason(429, 'The customer has too many queued runs'),
  INTERNAL_ERROR: reason(500, 'Unexpected error in the service'),
  SIGNAL_SERVICE_UNAVAILABLE: reason(500, 'The signal could not be stored'),
  OVERLOADED: reason(503, 'The service is more than 2 s behind; nothing was written'),
  SHUTTING_DOWN: reason(503, 'The service is shutting down; nothing was written'),
  QUERY_TOO_EXPENSIVE: reason(503, 'The database took longer than 2 s to answer a list or a sum'),
  DATABASE_UNAVAILABLE: reason(503, 'The database cannot be reached'),
} as const

export type ReasonCode = keyof typeof reasons

/** Only for requests of the console, which signs in with a cookie. The routes of the API do not list them. */
export const consoleReasons = [
  'SESSION_ENDED',
  'SIGN_IN_CODE_INVALID',
  'CROSS_SITE_REQUEST',
] as const satisfies readonly ReasonCode[]

export const reasonCodes = Object.keys(reasons) as ReasonCode[]
