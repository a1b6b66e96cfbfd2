// The OpenAPI responses of a route: successes with their schemas, errors with their exact reason codes.

import { exampleError } from '../examples/errors.ts'
import { routeExamples } from '../examples/examples.ts'
import {
  bodyReasons,
  type Deprecation,
  protectedReasons,
  type Route,
  type RouteName,
  routes,
  universalReasons,
} from '../routes/routes.ts'
import { extensible } from '../schemas/wire.ts'
import {
  type ErrorStatus,
  errorClasses,
  publicReasonCodes,
  type ReasonCode,
  reasonCodes,
  reasons,
} from '../vocabulary/reasons.ts'
import { deprecationHeaders } from './headers.ts'
import type { RouteSchemas } from './route-schemas.ts'
import type { JsonObject } from './schemas.ts'
import { successTexts } from './texts.ts'

const statusesOfErrors = Object.keys(errorClasses).map(Number) as ErrorStatus[]

const baselineNames: Readonly<Record<ErrorStatus, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  429: 'RateLimited',
  500: 'InternalError',
  503: 'Unavailable',
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

interface HeaderOptions {
  readonly noStore?: boolean
  readonly deprecated?: Deprecation | undefined
}

const headersOf = (status: number, { noStore = false, deprecated }: HeaderOptions = {}) => ({
  'x-request-id': header('RequestId'),
  ...(status === 401 ? { 'WWW-Authenticate': header('WwwAuthenticate') } : {}),
  ...(status === 429 || status === 503 ? { 'Retry-After': header('RetryAfter') } : {}),
  ...(status === 201 ? { Location: header('Location') } : {}),
  ...(noStore ? { 'Cache-Control': header('NoStore') } : {}),
  ...(deprecated ? deprecationHeaders(deprecated) : {}),
})

const codesOf = (route: Pick<Route, 'scope' | 'reasons' | 'body'>, status: ErrorStatus) => {
  const all = new Set<ReasonCode>([
    ...route.reasons,
    ...(route.body ? bodyReasons : []),
    ...(route.scope ? protectedReasons : []),
    ...universalReasons,
  ])
  return reasonCodes.filter((code) => all.has(code) && reasons[code].status === status)
}

const describeCodes = (codes: readonly ReasonCode[]) =>
  codes.map((code) => `- \`${code}\`: ${reasons[code].when}`).join('\n')

interface Content {
  readonly schema: JsonObject
  readonly examples: JsonObject
}

const errorContent = (status: ErrorStatus, codes: readonly ReasonCode[]): Content => ({
  schema: {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', properties: { error: { const: errorClasses[status] }, reason_code: extensible(codes) } },
    ],
  },
  examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
})

const errorResponse = (status: ErrorStatus, codes: readonly ReasonCode[], options?: HeaderOptions): JsonObject => ({
  description: describeCodes(codes),
  headers: headersOf(status, options),
  content: { 'application/json': errorContent(status, codes) },
})

const baselineCodes = (status: ErrorStatus) => codesOf({ scope: 'runs:read', reasons: [] }, status)

/** The errors that most routes share. */
export const sharedResponses: JsonObject = Object.fromEntries(
  statusesOfErrors
    .map((status) => ({ status, codes: baselineCodes(status) }))
    .filter(({ codes }) => codes.length > 0)
    .map(({ status, codes }) => [baselineNames[status], errorResponse(status, codes)]),
)

export const errorExamples: JsonObject = Object.fromEntries(
  publicReasonCodes.map((code) => [code, { value: exampleError(code) }]),
)

const headerOptionsOf = ({ path, deprecated }: Route) => ({ noStore: path.startsWith('/v1/memory/'), deprecated })

/** The codes of every route include the baseline, so an equal count means equal codes. */
const errorResponseOf = (route: Route, status: ErrorStatus): JsonObject => {
  const codes = codesOf(route, status)
  const options = headerOptionsOf(route)
  const isBaseline = !options.noStore && !options.deprecated && codes.length === baselineCodes(status).length
  return isBaseline
    ? { $ref: `#/components/responses/${baselineNames[status]}` }
    : errorResponse(status, codes, options)
}

const errorResponsesOf = (route: Route) =>
  statusesOfErrors
    .filter((status) => codesOf(route, status).length > 0)
    .map((status) => [status, errorResponseOf(route, status)] as const)

const mediaTypeOf = (ok: Route['ok'][number] | undefined) =>
  ok === 'event stream' ? 'text/event-stream' : 'application/json'

const csvContent = (name: RouteName): Content => ({
  schema: { type: 'string' },
  examples: { ...routeExamples[name].csv },
})

const okResponse = (name: RouteName, status: number, schema: JsonObject): JsonObject => {
  const route: Route = routes[name]
  return {
    description: successTexts[name][status],
    headers: headersOf(status, headerOptionsOf(route)),
    ...(route.ok[status] !== 'no content' && { content: contentOf(name, status, schema) }),
  }
}

const contentOf = (name: RouteName, status: number, schema: JsonObject): JsonObject => {
  const route: Route = routes[name]
  return {
    [mediaTypeOf(route.ok[status])]: { schema, examples: routeExamples[name].ok[status] ?? {} },
    ...(route.csv && status === 200 ? { 'text/csv': csvContent(name) } : {}),
  }
}

export const responsesOf = (name: RouteName, schemas: RouteSchemas): JsonObject => ({
  ...Object.fromEntries(errorResponsesOf(routes[name])),
  ...Object.fromEntries(
    Object.keys(routes[name].ok)
      .map(Number)
      .map((status) => [status, okResponse(name, status, schemas.ok(name, status))]),
  ),
})
