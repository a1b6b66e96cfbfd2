// A route of the contract as an OpenAPI operation: parameters, request body, responses, security.
import { routeExamples } from '../examples/examples.ts'
import { keyIds, memoryIds, runId, scheduleId, webhookId } from '../examples/ids.ts'
import { type Deprecation, type Route, type RouteName, routes } from '../routes/routes.ts'
import { responsesOf } from './responses.ts'
import type { RouteSchemas } from './route-schemas.ts'
import type { JsonObject } from './schemas.ts'
import { descriptions, parameterTexts, tags } from './texts.ts'

const idExamples = {
  run: runId,
  'memory item': memoryIds.fact,
  key: keyIds.created,
  workspace: 'acme-finance',
  subject: 'user-42',
  webhook: webhookId,
  schedule: scheduleId,
} as const

/** Without a pattern: a malformed id is not an invalid request, it returns 404. */
const pathParameters = ({ idOf }: Route): JsonObject[] =>
  idOf
    ? [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: `Id of the ${idOf}`,
          schema: { type: 'string' },
          example: idExamples[idOf],
        },
      ]
    : []

/** A list is one parameter, with commas between its values. */
const commaList = { style: 'form', explode: false }

/** The example is part of the schema: tools would send an example of the parameter as its value. */
const queryParameter = (name: string, schema: JsonObject, example: unknown): JsonObject => {
  const { description = parameterTexts[name], ...rest } = schema
  const style = schema.type === 'array' ? commaList : {}
  return { name, in: 'query', required: false, description, ...style, schema: { ...rest, examples: [example] } }
}

const queryParameters = (name: RouteName, querySchema: JsonObject | undefined): JsonObject[] =>
  Object.entries((querySchema?.properties ?? {}) as Record<string, JsonObject>).map(([key, schema]) =>
    queryParameter(key, schema, routeExamples[name].query?.[key]),
  )

const parameterReference = (name: string) => ({ $ref: `#/components/parameters/${name}` })

const headerParameters = (route: Route): JsonObject[] => [
  ...(route.idempotencyKey === 'required' ? [parameterReference('IdempotencyKey')] : []),
  ...(route.idempotencyKey === 'optional' ? [parameterReference('OptionalIdempotencyKey')] : []),
  ...(route.idempotencyKey === 'signal' ? [parameterReference('SignalIdempotencyKey')] : []),
  ...(route.path === routes.streamEvents.path ? [parameterReference('LastEventId')] : []),
  ...(route.path === routes.streamCustomerEvents.path ? [parameterReference('LastMessageId')] : []),
  parameterReference('RequestId'),
]

const requestBodyOf = (name: RouteName, route: Route, schema: JsonObject | undefined) =>
  schema && {
    requestBody: {
      required: route.bodyRequired ?? false,
      content: { 'application/json': { schema, examples: routeExamples[name].body ?? {} } },
    },
  }

const deprecationText = ({ since, sunset, use }: Deprecation) =>
  [`Deprecated since ${since}.`, ...(sunset ? [`Removed on ${sunset}.`] : []), `Use ${use} instead.`].join(' ')

const describe = (name: RouteName, route: Route) =>
  [
    descriptions[name],
    route.scope ? `Scope: \`${route.scope}\`.` : 'Public: no key required.',
    ...(route.method === 'GET' ? ['HEAD works too.'] : []),
    ...(route.extension ? ['An extension to the published interface specification.'] : []),
    ...(route.deprecated ? [deprecationText(route.deprecated)] : []),
  ].join('\n\n')

const tagOf = ({ path }: Route) => tags.find(({ paths }) => paths.test(path))?.name

export const operationOf = (name: RouteName, route: Route, schemas: RouteSchemas): JsonObject => ({
  operationId: name,
  tags: [tagOf(route)],
  summary: route.summary,
  description: describe(name, route),
  ...(route.deprecated && { deprecated: true }),
  // Linters accept names of scopes only for OAuth.
  security: route.scope ? [{ apiKey: [] }] : [],
  ...(route.scope && { 'x-scope': route.scope }),
  parameters: [...pathParameters(route), ...queryParameters(name, schemas.query(name)), ...headerParameters(route)],
  ...requestBodyOf(name, route, schemas.body(name)),
  responses: responsesOf(name, schemas),
})
