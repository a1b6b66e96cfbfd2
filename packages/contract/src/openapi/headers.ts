// Request and response headers as OpenAPI components.
import type { z } from 'zod'
import { customerCursor, requestIds, runId } from '../examples/ids.ts'
import type { Deprecation } from '../routes/routes.ts'
import { idempotencyKeySchema } from '../schemas/signals.ts'
import { requestId } from '../schemas/wire.ts'
import { toJsonSchemas } from './schemas.ts'

const schemaOf = (schema: z.ZodType) => toJsonSchemas({ schema }, 'input').byName.schema

const idempotencyKey = () => ({
  name: 'idempotency-key',
  in: 'header',
  schema: { ...schemaOf(idempotencyKeySchema), examples: ['2f6c9f0e-invoice-4711'] },
})

export const parameters = () => ({
  IdempotencyKey: {
    ...idempotencyKey(),
    required: true,
    description: 'Makes the request safe to repeat. Unique per customer; kept as long as the run.',
  },
  OptionalIdempotencyKey: {
    ...idempotencyKey(),
    required: false,
    description:
      'Makes the request safe to repeat: the same key with the same body returns the first response, with its secret, and changes nothing. Unique per customer and route; kept for 24 hours at least.',
  },
  SignalIdempotencyKey: {
    ...idempotencyKey(),
    required: false,
    description: 'Makes the signal safe to repeat. Unique per run. Ignored if the body has an `idempotency_key`.',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'Works like `cursor`; the larger of the two wins',
    // Text, as every header: some generated clients cannot send a number.
    schema: { type: 'string', pattern: '^\\d{1,16}$', examples: ['7'] },
  },
  LastMessageId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'Works like `cursor`, and wins over it',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', examples: [customerCursor] },
  },
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    required: false,
    description: 'Your own correlation id: 1 to 128 of `A-Za-z0-9._-`. Any other value is replaced, not refused.',
    schema: { type: 'string', examples: [requestIds.retry] },
  },
})

/** Of the responses of a deprecated route. Not components: while there is no such route, they would be unused. */
export const deprecationHeaders = ({ sunset }: Deprecation) => ({
  Deprecation: {
    description: 'When the operation was deprecated, in seconds since 1970 (RFC 9745)',
    schema: { type: 'string', pattern: '^@\\d+$' },
    example: '@1801353600',
  },
  ...(sunset !== undefined && {
    Sunset: {
      description: 'When the operation may be gone (RFC 8594)',
      schema: { type: 'string' },
      example: 'Sat, 31 Jul 2027 00:00:00 GMT',
    },
  }),
  Link: {
    description: 'Where to read what to use instead',
    schema: { type: 'string' },
    example: '</docs/compatibility.html>; rel="deprecation"; type="text/html"',
  },
})

export const headers = () => ({
  RequestId: {
    required: true,
    description: 'Correlation id; the service also logs it',
    schema: schemaOf(requestId),
    example: requestIds.retry,
  },
  WwwAuthenticate: {
    description: 'The scheme of the `Authorization` header (RFC 6750)',
    schema: { type: 'string' },
    example: 'Bearer realm="runwright", error="invalid_token"',
  },
  RetryAfter: {
    description: 'Seconds to wait before the next attempt',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  Location: {
    required: true,
    description: 'The path of what was created',
    schema: { type: 'string' },
    example: `/v1/runs/${runId}`,
  },
  NoStore: {
    required: true,
    description: 'Memory must not be cached',
    schema: { type: 'string', const: 'no-store' },
    example: 'no-store',
  },
})
