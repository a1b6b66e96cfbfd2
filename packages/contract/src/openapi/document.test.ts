import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as contract from '../index.ts'
import {
  bodyReasons,
  consoleReasons,
  errorClasses,
  eventTypes,
  openApiDocument,
  protectedReasons,
  type Route,
  reasonCodes,
  reasons,
  routes,
  runIncludes,
  runListIncludes,
  runStatuses,
  scopes,
  toolSources,
  universalReasons,
} from '../index.ts'

interface OpenList {
  readonly 'x-extensible-enum': string[]
}

interface Schema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly [Schema, { properties: { error: { const: string }; reason_code: OpenList } }]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema & { examples?: unknown[] }
}

interface Content {
  readonly schema: Schema
  readonly examples: Readonly<Record<string, unknown>>
}

interface Response {
  readonly description: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly content: Readonly<Record<string, Content>>
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security: unknown
  readonly 'x-scope'?: string
  readonly parameters: readonly unknown[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, unknown>>
}

const document = openApiDocument()
const schemas = document.components.schemas as Readonly<Record<string, Schema>>
const allRoutes = Object.entries(routes) as [string, Route][]

/** Follows a reference, if it is one. */
const resolve = <T>(part: unknown): T => {
  const reference = (part as { $ref?: string } | undefined)?.$ref
  const step = (at: unknown, key: string) => (at as Record<string, unknown>)[key]
  return (reference ? reference.slice(2).split('/').reduce(step, document) : part) as T
}

const operationOf = ({ method, path }: Route) => document.paths[path]?.[method.toLowerCase()] as Operation
const parametersOf = (route: Route) => operationOf(route).parameters.map((one) => resolve<Parameter>(one))
const parameterOf = (route: Route, name: string) => parametersOf(route).find((one) => one.name === name)
const responseOf = (route: Route, status: number | string) =>
  resolve<Response | undefined>(operationOf(route).responses[status])
const jsonOf = (route: Route, status: number) => responseOf(route, status)?.content['application/json']

/** The reason codes of a response, wherever its schema lists them. */
const codesIn = (schema: Schema | undefined): string[] =>
  (schema?.anyOf ?? [schema]).flatMap((one) => one?.allOf?.[1].properties.reason_code['x-extensible-enum'] ?? [])

const expectedCodes = (route: Route, status: number) =>
  [
    ...route.reasons,
    ...(route.body ? bodyReasons : []),
    ...(route.scope ? protectedReasons : []),
    ...universalReasons,
  ].filter((code) => reasons[code].status === status)

const errorStatuses = Object.keys(errorClasses).map(Number)

/** All closed lists that are reachable. A plan is what a client sent: its lists are those of requests. */
const closedListsIn = (part: unknown, seen = new Set<unknown>()): (readonly string[])[] => {
  if (typeof part !== 'object' || part === null || seen.has(part)) return []
  seen.add(part)
  const { $ref, enum: list, 'x-extensible-enum': isOpen, examples: _, ...rest } = part as Schema
  if (isOpen !== undefined || $ref?.endsWith('/Plan')) return []
  return [
    ...(Array.isArray(list) ? [list] : []),
    ...($ref === undefined ? [] : closedListsIn(resolve(part), seen)),
    ...Object.values(rest).flatMap((one) => closedListsIn(one, seen)),
  ]
}

describe('the document', () => {
  test('contains the version of the API and the URL of the service', () => {
    const other = openApiDocument({ serverUrl: 'https://runs.example.com' })
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: 'v1' }, servers: [{ url: '/' }] })
    expect(other).toMatchObject({ servers: [{ url: 'https://runs.example.com' }] })
  })

  test('contains exactly the routes of the table, with their names', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => [(one as Operation).operationId, method.toUpperCase(), path]),
    )
    const expected = allRoutes.map(([name, { method, path }]) => [name, method, path])
    expect(operations.sort()).toEqual(expected.sort())
  })

  test('publishes every schema of the contract that has an id', () => {
    const ids = Object.values(contract).flatMap((one) => (one instanceof z.ZodType ? (one.meta()?.id ?? []) : []))
    expect(ids).toContain('CreateRun')
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(ids))
  })

  test('contains every reason code in at least one response, except those of the console', () => {
    const named = allRoutes.flatMap(([, route]) =>
      errorStatuses.flatMap((status) => codesIn(jsonOf(route, status)?.schema)),
    )
    expect(new Set([...named, ...consoleReasons])).toEqual(new Set(reasonCodes))
    expect(named.filter((code) => (consoleReasons as readonly string[]).includes(code))).toEqual([])
    expect(new Set(schemas.Error?.properties?.reason_code?.['x-extensible-enum'] as string[])).toEqual(new Set(named))
  })

  test('contains no internals of the generator', () => {
    expect(JSON.stringify(document)).not.toMatch(/"published"|#\/\$defs|~standard/)
  })
})

describe.each(allRoutes)('%s', (_name, route) => {
  test.each(errorStatuses)('returns %d with exactly the reason codes of the table', (status) => {
    expect(codesIn(jsonOf(route, status)?.schema).sort()).toEqual(expectedCodes(route, status).sort())
  })

  test('gives each error its error class', () => {
    for (const status of errorStatuses.filter((one) => expectedCodes(route, one).length > 0)) {
      expect(JSON.stringify(jsonOf(route, status)?.schema)).toContain(
        `"const":"${errorClasses[status as contract.ErrorStatus]}"`,
      )
    }
  })

  test('returns exactly the statuses of the table', () => {
    const refusals = errorStatuses.filter((status) => expectedCodes(route, status).length > 0)
    const expected = new Set([...Object.keys(route.ok), ...refusals.map(String)])
    expect(new Set(Object.keys(operationOf(route).responses))).toEqual(expected)
  })

  test('describes each response, with an example', () => {
    for (const [status, schema] of Object.entries(route.ok)) {
      const response = responseOf(route, status)
      if (schema === 'no content') {
        expect(response).toEqual({ description: expect.any(String), headers: expect.any(Object) })
        continue
      }
      const body = response?.content[schema === 'event stream' ? 'text/event-stream' : 'application/json']
      expect(response?.description).toEqual(expect.any(String))
      expect(body?.schema).toBeDefined()
      expect(body?.examples).not.toEqual({})
    }
  })

  test('has its headers on every response', () => {
    for (const status of Object.keys(operationOf(route).responses)) {
      const headers = Object.keys(responseOf(route, status)?.headers ?? {})
      expect(headers).toContain('x-request-id')
      expect(headers.includes('Retry-After')).toBe(status === '429' || status === '503')
      expect(headers.includes('WWW-Authenticate')).toBe(status === '401')
      expect(headers.includes('Location')).toBe(status === '201')
      expect(headers.includes('Cache-Control')).toBe(route.path.startsWith('/v1/memory'))
    }
  })

  test('requires the key and its scope if it is protected', () => {
    expect(operationOf(route).security).toEqual(route.scope ? [{ apiKey: [] }] : [])
    expect(operationOf(route)['x-scope']).toBe(route.scope ?? undefined)
  })

  test('has every query parameter of its schema, optional and with an example', () => {
    const parameters = parametersOf(route).filter((one) => one.in === 'query')
    expect(parameters.map((one) => one.name)).toEqual(Object.keys(route.query?.shape ?? {}))
    for (const parameter of parameters) {
      expect(parameter).toMatchObject({ required: false, description: expect.any(String) })
      expect(parameter.schema.examples?.[0]).toBeDefined()
    }
  })

  test('has the headers that it reads', () => {
    expect(parameterOf(route, 'x-request-id')).toMatchObject({ in: 'header', required: false })
    expect(parameterOf(route, 'idempotency-key')?.required).toBe(
      route.idempotencyKey && route.idempotencyKey === 'required',
    )
  })

  test('accepts any text as an id, because a malformed one returns 404', () => {
    const parameter = parameterOf(route, 'id')
    expect(Boolean(parameter)).toBe(route.path.includes('{id}'))
    if (parameter) expect(parameter).toMatchObject({ in: 'path', required: true, schema: { type: 'string' } })
    expect(parameter?.schema.pattern).toBeUndefined()
  })

  test('has the body of the table', () => {
    const body = operationOf(route).requestBody
    expect(Boolean(body)).toBe(Boolean(route.body))
    if (body) expect(body.required).toBe(route.bodyRequired ?? false)
    if (body) expect(body.content['application/json']?.examples).not.toEqual({})
  })

  test('has a tag with a description', () => {
    const known = document.tags.map((tag) => tag.name)
    expect(known).toContain(operationOf(route).tags[0])
  })
})

describe('details', () => {
  test('the key is a bearer token of id and secret', () => {
    expect(document.components.securitySchemes?.apiKey).toMatchObject({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: '<key_id>:<secret>',
    })
  })

  test('query parameters have the type of their value', () => {
    const types = ['limit', 'awaiting_input', 'created_after'].map((name) => parameterOf(routes.listRuns, name)?.schema)
    expect(types).toMatchObject([
      { type: 'integer', minimum: 1, maximum: 200, default: 50 },
      { type: 'boolean' },
      { type: 'string', format: 'date-time' },
    ])
  })

  test.each([
    ['await_seq of a signal', () => schemas.Signal?.properties?.await_seq],
    ['tokens of a budget', () => schemas.PutBudget?.properties?.tokens],
    ['cursor of events', () => parameterOf(routes.pollEvents, 'cursor')?.schema],
  ])('%s has the largest value that is accepted', (_, schema) => {
    expect(schema()).toMatchObject({ type: 'integer', maximum: Number.MAX_SAFE_INTEGER })
  })

  test('the path of a tag says what is refused', () => {
    const { maxLength, pattern } = schemas.SensitivityTag?.properties?.path ?? {}
    expect(maxLength).toBe(1_024)
    const matches = (path: string) => new RegExp(String(pattern), 'u').test(path)
    expect(['$.input', '$.metadata.a', '$.input[0]'].filter(matches)).toHaveLength(3)
    expect(['$.inputs', "$['input']", '$ .input', 'input', '$.other.input'].filter(matches)).toEqual([])
  })

  test('the input names the script of the sandbox, and takes anything', () => {
    expect(schemas.CreateRun?.properties?.input).toMatchObject({
      type: 'object',
      properties: {
        sandbox: { anyOf: [{ $ref: '#/components/schemas/SandboxScript' }, { description: 'With another model' }] },
      },
      additionalProperties: {},
    })
    expect(schemas.CreateRun?.properties?.input?.required).toBeUndefined()
  })

  test('a stream says what its messages contain', () => {
    const contentOf = (name: 'streamEvents' | 'streamRuns' | 'streamCustomerEvents') =>
      responseOf(routes[name], 200)?.content['text/event-stream']?.schema
    const namesIn = (name: 'streamEvents' | 'streamRuns' | 'streamCustomerEvents') =>
      resolve<Schema>(contentOf(name)).anyOf?.map(({ $ref }) => $ref?.split('/').at(-1))
    expect(namesIn('streamEvents')).toEqual(['Event', 'Error'])
    expect(namesIn('streamRuns')).toEqual(['RunsPage', 'RunsChanged', 'Error'])
    expect(namesIn('streamCustomerEvents')).toEqual(['CustomerEvent', 'StreamPosition', 'Error'])
  })

  test('only streams of events have Last-Event-ID', () => {
    const takers = allRoutes.filter(([, route]) => parameterOf(route, 'Last-Event-ID')).map(([name]) => name)
    expect(takers).toEqual(['streamEvents', 'streamCustomerEvents'])
  })

  test.each([
    ['listRuns', 'status', runStatuses],
    ['listRuns', 'include', runListIncludes],
    ['streamRuns', 'status', runStatuses],
    ['getRun', 'include', runIncludes],
    ['getUsage', 'group_by', ['workspace_id', 'subject_id']],
  ] as const)('%s takes %s as an array with commas between its values', (name, parameter, words) => {
    expect(parameterOf(routes[name], parameter)).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { type: 'string', enum: words }, uniqueItems: true },
    })
  })

  test('no header is a number, because some clients cannot send one', () => {
    const headers = allRoutes.flatMap(([, route]) => parametersOf(route).filter((one) => one.in === 'header'))
    expect(new Set(headers.map(({ schema }) => schema.type))).toEqual(new Set(['string']))
  })

  test('no schema has definitions of its own, which some generators take for a property', () => {
    expect(JSON.stringify(document)).not.toContain('"$defs"')
  })

  test('the result of a run has a type', () => {
    const value = { anyOf: [{ $ref: '#/components/schemas/RunResult' }, { type: 'null' }] }
    for (const name of ['Run', 'CreatedRun', 'RunDetail', 'ListedRun']) {
      expect(schemas[name]?.properties?.event_payload?.properties?.value).toMatchObject(value)
    }
  })

  test('a list that may grow is open, and one of the specification or of a request is closed', () => {
    const [one] = [schemas.Tool?.properties?.source]
    expect(one).toEqual({
      anyOf: [{ type: 'string', enum: toolSources }, { type: 'string' }],
      'x-extensible-enum': toolSources,
    })
    expect(schemas.Run?.properties?.status).toEqual({ type: 'string', enum: runStatuses })
    expect(schemas.CreateKey?.properties?.scopes?.items).toEqual({ type: 'string', enum: scopes })
  })

  test('what the service sends has no closed list but those of the specification', () => {
    const fixed = [
      ...[contract.runStatuses, contract.runClasses, contract.routingHints, contract.roles, contract.signalActions],
      ...[contract.inputKinds, contract.decisionTypes, contract.stepOutcomes, contract.toolOutcomes],
      ...[contract.limitTypes, contract.granularities, contract.classifications, contract.redactions],
      ...[
        ['running', 'queued'],
        ['tokens', 'seconds'],
        ['approve', 'reject'],
      ],
      ['content_delta', 'tool_call_start', 'tool_call_done'],
    ].map(String)
    const sent = [
      ...Object.values(document.paths).flatMap((methods) =>
        Object.values(methods).map((one) => (one as Operation).responses),
      ),
      document.webhooks,
    ]
    const closed = closedListsIn(sent).map(String)
    expect(closed).toContain(String(runStatuses))
    expect(closed.filter((list) => !fixed.includes(list))).toEqual([])
  })

  test('requests are closed, responses are open', () => {
    expect(schemas.CreateRun?.additionalProperties).toBe(false)
    expect(schemas.Run?.additionalProperties).toBeUndefined()
    expect(schemas.Run?.properties?.metadata?.additionalProperties).toBeUndefined()
  })

  test('an unhealthy probe returns 503 with its own body and the error envelope', () => {
    expect(jsonOf(routes.getReady, 503)?.schema).toEqual({ $ref: '#/components/schemas/NotReady' })
    expect(Object.keys(schemas.NotReady?.properties ?? {}).sort()).toEqual(
      ['error', 'message', 'reason_code', 'request_id', 'status'].sort(),
    )
  })

  test('an event is one of the typed events, with its type as the discriminator', () => {
    const typed = (schemas.Event?.oneOf ?? []).map((one) => resolve<Schema>(one))
    expect(typed.map((one) => one.properties?.type?.const)).toEqual(eventTypes)
    expect(schemas.Event?.discriminator).toMatchObject({ propertyName: 'type' })
    expect(typed[1]?.properties?.payload?.properties?.value?.$ref).toMatch(/RunWorkerStartedPayload$/)
  })
})
