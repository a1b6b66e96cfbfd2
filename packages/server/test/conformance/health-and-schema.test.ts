// The open endpoints: probes, and a schema that names every route, status and reason code and tells the truth.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { Caller, instantPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

interface Operation {
  readonly responses: Record<string, unknown>
  readonly security?: readonly Record<string, readonly string[]>[]
  readonly 'x-scope'?: string
  readonly requestBody?: unknown
  readonly parameters?: readonly unknown[]
}
interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: Record<string, Record<string, unknown>>
}

let service: Service
let acme: Caller
let nobody: Caller
let schema: Document
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  nobody = new Caller(service.url, null)
  schema = (await nobody.get('/openapi.json')).json<Document>()
})
afterAll(() => service.stop())

describe('the probes', () => {
  test.each(['/health/live', '/health/ready'])('%s answers 200 and ok', async (path) => {
    const reply = await nobody.get(path)
    expect([reply.status, reply.json()]).toEqual([200, { status: 'ok' }])
    expect(reply.headers['content-type']).toMatch(/^application\/json\b/)
  })

  test('/health/deps tells of the database and the queue', async () => {
    const reply = await nobody.get('/health/deps')
    expect(reply.status).toBe(200)
    const latency_ms = expect.any(Number)
    const database = {
      status: 'ok',
      latency_ms,
      engine: expect.stringMatching(/postgres/i),
      version: expect.stringMatching(/^\d+/),
    }
    const numbers = {
      depth: expect.any(Number),
      oldest_seconds: expect.toBeOneOf([null, expect.any(Number)]),
      workers: expect.any(Number),
      places: expect.any(Number),
      busy_places: expect.any(Number),
    }
    const queue = { status: 'ok', latency_ms, ...numbers }
    expect(reply.json()).toEqual({
      status: 'ok',
      checked_at: expect.stringMatching(instantPattern),
      dependencies: { database, queue },
    })
  })

  test('/health/deps tells a caller with a key the versions, too', async () => {
    const strangers = (await nobody.get('/health/deps')).json<object>()
    expect((await acme.get('/health/deps')).json()).toEqual({
      ...strangers,
      checked_at: expect.stringMatching(instantPattern),
      dependencies: expect.any(Object),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node_version: process.versions.node,
    })
  })

  test('/health/deps counts what is queued', async () => {
    const depth = async () =>
      (await nobody.get('/health/deps')).json<{ dependencies: { queue: { depth: number } } }>().dependencies.queue.depth
    const before = await depth()
    const [one] = [await acme.newRun(), await acme.newRun()]
    await expect.poll(depth, { timeout: 15_000, interval: 250 }).toBe(before + 2)
    await new Driver(service.database).toRunning(one.id)
    await expect.poll(depth, { timeout: 15_000, interval: 250 }).toBe(before + 1)
  }, 40_000)
})

/** Every route of both texts. */
const routes: [path: string, method: string, scope: string | null, ok: string[]][] = [
  ['/v1/runs', 'post', 'runs:write', ['201', '200']],
  ['/v1/runs', 'get', 'runs:read', ['200']],
  ['/v1/runs/{id}', 'get', 'runs:read', ['200']],
  ['/v1/runs/{id}/cancel', 'post', 'runs:write', ['200']],
  ['/v1/runs/{id}/retry', 'post', 'runs:write', ['200']],
  ['/v1/runs/{id}/resume', 'post', 'runs:write', ['200']],
  ['/v1/runs/{id}/fork', 'post', 'runs:write', ['201', '200']],
  ['/v1/runs/{id}/signal', 'post', 'runs:signal', ['200']],
  ['/v1/runs/{id}/events', 'get', 'runs:read', ['200']],
  ['/v1/runs/{id}/events/stream', 'get', 'runs:read', ['200', '204']],
  ['/v1/runs/{id}/turns', 'get', 'runs:read', ['200']],
  ['/v1/usage', 'get', 'usage:read', ['200']],
  ['/v1/usage/events', 'get', 'usage:read', ['200']],
  ['/v1/agents', 'get', 'runs:read', ['200']],
  ['/v1/tools', 'get', 'runs:read', ['200']],
  ['/v1/runs/counts', 'get', 'runs:read', ['200']],
  ['/v1/runs/stream', 'get', 'runs:read', ['200']],
  ['/v1/events/stream', 'get', 'runs:read', ['200']],
  ['/v1/budgets', 'get', 'usage:read', ['200']],
  ['/v1/budgets/customer', 'get', 'usage:read', ['200']],
  ['/v1/budgets/customer', 'put', 'keys:admin', ['200']],
  ['/v1/budgets/customer', 'delete', 'keys:admin', ['200']],
  ['/v1/budgets/workspaces/{id}', 'get', 'usage:read', ['200']],
  ['/v1/budgets/workspaces/{id}', 'put', 'keys:admin', ['200']],
  ['/v1/budgets/workspaces/{id}', 'delete', 'keys:admin', ['200']],
  ['/v1/budgets/subjects/{id}', 'get', 'usage:read', ['200']],
  ['/v1/budgets/subjects/{id}', 'put', 'keys:admin', ['200']],
  ['/v1/budgets/subjects/{id}', 'delete', 'keys:admin', ['200']],
  ['/v1/memory/export', 'get', 'memory:read', ['200']],
  ['/v1/memory/items', 'get', 'memory:read', ['200']],
  ['/v1/memory/items/{id}', 'get', 'memory:read', ['200']],
  ['/v1/runs/{id}', 'delete', 'runs:admin', ['200']],
  ['/v1/memory/items/{id}', 'delete', 'runs:admin', ['200']],
  ['/v1/keys', 'post', 'keys:admin', ['201', '200']],
  ['/v1/keys', 'get', 'keys:admin', ['200']],
  ['/v1/keys/{id}', 'get', 'keys:admin', ['200']],
  ['/v1/keys/{id}/rotate', 'post', 'keys:admin', ['200']],
  ['/v1/keys/{id}', 'delete', 'keys:admin', ['200']],
  ['/v1/tokens', 'post', 'tokens:create', ['200']],
  ['/v1/runs/{id}/decision-links', 'post', 'links:create', ['200']],
  ['/v1/schedules', 'post', 'runs:write', ['201', '200']],
  ['/v1/schedules', 'get', 'runs:read', ['200']],
  ['/v1/schedules/{id}', 'get', 'runs:read', ['200']],
  ['/v1/schedules/{id}', 'patch', 'runs:write', ['200']],
  ['/v1/schedules/{id}', 'delete', 'runs:write', ['200']],
  ['/v1/webhooks', 'post', 'webhooks:admin', ['201', '200']],
  ['/v1/webhooks', 'get', 'webhooks:admin', ['200']],
  ['/v1/webhooks/{id}', 'get', 'webhooks:admin', ['200']],
  ['/v1/webhooks/{id}', 'patch', 'webhooks:admin', ['200']],
  ['/v1/webhooks/{id}', 'delete', 'webhooks:admin', ['200']],
  ['/v1/webhooks/{id}/rotate', 'post', 'webhooks:admin', ['200']],
  ['/v1/webhooks/{id}/test', 'post', 'webhooks:admin', ['200']],
  ['/v1/webhooks/{id}/deliveries', 'get', 'webhooks:admin', ['200']],
  ['/v1/webhooks/{id}/redeliver', 'post', 'webhooks:admin', ['200']],
  ['/v1/audit', 'get', 'audit:read', ['200']],
  ['/openapi.json', 'get', null, ['200']],
  ['/health/live', 'get', null, ['200']],
  ['/health/ready', 'get', null, ['200', '503']],
  ['/health/deps', 'get', null, ['200', '503']],
]

const own: [path: string, method: string, codes: string[]][] = [
  [
    '/v1/runs',
    'post',
    ['IDEMPOTENCY_KEY_REQUIRED', 'INPUT_PAYLOAD_INVALID', 'INPUT_PAYLOAD_TOO_LARGE', 'INPUT_SENSITIVITY_TAG_REQUIRED'],
  ],
  [
    '/v1/runs',
    'post',
    ['INPUT_SENSITIVITY_TAG_INVALID_PATH', 'INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION', 'INPUT_PLAN_INVALID'],
  ],
  ['/v1/runs', 'post', ['INPUT_SENSITIVITY_TAG_DUPLICATE_PATH', 'IDEMPOTENCY_KEY_CONFLICT', 'QUEUE_LIMIT_REACHED']],
  ['/v1/runs', 'get', ['RUNS_QUERY_PARAMS_INVALID']],
  ['/v1/runs/{id}', 'get', ['RUNS_QUERY_PARAMS_INVALID', 'RUN_NOT_FOUND']],
  ['/v1/runs/{id}/cancel', 'post', ['RUN_NOT_FOUND', 'RUN_STATE_CONFLICT']],
  ['/v1/runs/{id}/retry', 'post', ['RUN_NOT_FOUND', 'RUN_STATE_CONFLICT']],
  ['/v1/runs/{id}/resume', 'post', ['RUN_NOT_FOUND', 'RUN_STATE_CONFLICT']],
  ['/v1/runs/{id}/fork', 'post', ['RUN_NOT_FOUND', 'STEP_NOT_FINISHED', 'RUN_STATE_CONFLICT']],
  ['/v1/runs/{id}/fork', 'post', ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_KEY_CONFLICT', 'INPUT_PAYLOAD_TOO_LARGE']],
  [
    '/v1/runs/{id}/signal',
    'post',
    [
      'SIGNAL_PAYLOAD_INVALID',
      'RUN_NOT_FOUND',
      'RUN_NOT_AWAITING_INPUT',
      'IDEMPOTENCY_KEY_CONFLICT',
      'SIGNAL_SERVICE_UNAVAILABLE',
    ],
  ],
  ['/v1/runs/{id}/events', 'get', ['EVENTS_QUERY_PARAMS_INVALID', 'RUN_NOT_FOUND']],
  ['/v1/runs/{id}/events/stream', 'get', ['EVENTS_QUERY_PARAMS_INVALID', 'RUN_NOT_FOUND', 'STREAM_LIMIT_REACHED']],
  ['/v1/runs/{id}/turns', 'get', ['RUNS_QUERY_PARAMS_INVALID', 'RUN_NOT_FOUND']],
  ['/v1/usage', 'get', ['USAGE_QUERY_PARAMS_INVALID']],
  ['/v1/usage/events', 'get', ['USAGE_QUERY_PARAMS_INVALID']],
  ['/v1/budgets', 'get', ['BUDGETS_QUERY_PARAMS_INVALID']],
  ['/v1/budgets/customer', 'get', ['BUDGETS_QUERY_PARAMS_INVALID', 'BUDGET_NOT_FOUND']],
  ['/v1/budgets/customer', 'put', ['BUDGET_PAYLOAD_INVALID', 'LIMIT_REACHED']],
  ['/v1/budgets/customer', 'delete', ['BUDGET_NOT_FOUND']],
  ['/v1/budgets/workspaces/{id}', 'get', ['BUDGETS_QUERY_PARAMS_INVALID', 'BUDGET_NOT_FOUND']],
  ['/v1/budgets/workspaces/{id}', 'put', ['BUDGET_PAYLOAD_INVALID', 'LIMIT_REACHED']],
  ['/v1/budgets/workspaces/{id}', 'delete', ['BUDGET_NOT_FOUND']],
  ['/v1/budgets/subjects/{id}', 'get', ['BUDGETS_QUERY_PARAMS_INVALID', 'BUDGET_NOT_FOUND']],
  ['/v1/budgets/subjects/{id}', 'put', ['BUDGET_PAYLOAD_INVALID', 'LIMIT_REACHED']],
  ['/v1/budgets/subjects/{id}', 'delete', ['BUDGET_NOT_FOUND']],
  ['/v1/agents', 'get', ['RUNS_QUERY_PARAMS_INVALID']],
  ['/v1/tools', 'get', ['RUNS_QUERY_PARAMS_INVALID']],
  ['/v1/runs/counts', 'get', ['RUNS_QUERY_PARAMS_INVALID']],
  ['/v1/runs/stream', 'get', ['RUNS_QUERY_PARAMS_INVALID', 'STREAM_LIMIT_REACHED']],
  ['/v1/events/stream', 'get', ['EVENTS_QUERY_PARAMS_INVALID', 'STREAM_LIMIT_REACHED']],
  ['/v1/memory/export', 'get', ['MEMORY_QUERY_PARAMS_INVALID']],
  ['/v1/memory/items', 'get', ['MEMORY_QUERY_PARAMS_INVALID']],
  ['/v1/memory/items/{id}', 'get', ['MEMORY_QUERY_PARAMS_INVALID', 'MEMORY_ITEM_NOT_FOUND']],
  ['/v1/keys', 'post', ['KEY_PAYLOAD_INVALID', 'SCOPE_DENIED', 'LIMIT_REACHED', 'IDEMPOTENCY_KEY_CONFLICT']],
  ['/v1/keys', 'get', ['KEY_PAYLOAD_INVALID']],
  ['/v1/keys/{id}', 'get', ['KEY_PAYLOAD_INVALID', 'KEY_NOT_FOUND']],
  ['/v1/keys/{id}/rotate', 'post', ['KEY_PAYLOAD_INVALID', 'KEY_NOT_FOUND', 'IDEMPOTENCY_KEY_CONFLICT']],
  ['/v1/keys/{id}', 'delete', ['KEY_NOT_FOUND']],
  ['/v1/tokens', 'post', ['TOKEN_PAYLOAD_INVALID']],
  [
    '/v1/runs/{id}/decision-links',
    'post',
    ['LINK_PAYLOAD_INVALID', 'DECISION_LINKS_OFF', 'APPROVER_REQUIRED', 'RUN_NOT_FOUND', 'RUN_NOT_AWAITING_INPUT'],
  ],
  [
    '/v1/schedules',
    'post',
    ['SCHEDULE_PAYLOAD_INVALID', 'INPUT_PAYLOAD_INVALID', 'INPUT_PLAN_INVALID', 'LIMIT_REACHED'],
  ],
  ['/v1/schedules', 'get', ['SCHEDULES_QUERY_PARAMS_INVALID']],
  ['/v1/schedules/{id}', 'patch', ['SCHEDULE_PAYLOAD_INVALID', 'INPUT_PLAN_INVALID', 'SCHEDULE_NOT_FOUND']],
  ['/v1/schedules/{id}', 'delete', ['SCHEDULE_NOT_FOUND']],
  ['/v1/webhooks', 'post', ['WEBHOOK_PAYLOAD_INVALID', 'WEBHOOK_EXISTS', 'LIMIT_REACHED']],
  ['/v1/webhooks', 'get', ['WEBHOOKS_QUERY_PARAMS_INVALID']],
  ['/v1/webhooks/{id}', 'patch', ['WEBHOOK_PAYLOAD_INVALID', 'WEBHOOK_NOT_FOUND', 'WEBHOOK_EXISTS']],
  ['/v1/webhooks/{id}/deliveries', 'get', ['WEBHOOKS_QUERY_PARAMS_INVALID']],
  ['/v1/webhooks/{id}/rotate', 'post', ['WEBHOOK_PAYLOAD_INVALID', 'WEBHOOK_NOT_FOUND']],
  ['/v1/webhooks/{id}/test', 'post', ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED']],
  ['/v1/webhooks/{id}/redeliver', 'post', ['DELIVERY_NOT_FOUND', 'WEBHOOK_DISABLED']],
  ['/v1/audit', 'get', ['AUDIT_QUERY_PARAMS_INVALID']],
]

const everywhere = [
  'AUTH_HEADER_MISSING',
  'AUTH_HEADER_MALFORMED',
  'API_KEY_INVALID',
  'API_KEY_REVOKED',
  'API_KEY_EXPIRED',
]
const guarded = [
  ...everywhere,
  'SCOPE_DENIED',
  'CUSTOMER_SUSPENDED',
  'RATE_LIMITED',
  'OVERLOADED',
  'SHUTTING_DOWN',
  'DATABASE_UNAVAILABLE',
  'INTERNAL_ERROR',
]

const operationOf = (path: string, method: string) => schema.paths[path]?.[method]

/** A part of the document as text, with whatever it refers to in place of the references. */
const spelledOut = (part: unknown, depth = 0): string =>
  JSON.stringify(part ?? null).replace(
    /\{"\$ref":"#\/components\/(responses|examples)\/(\w+)"\}/g,
    (all, kind, name) => (depth > 3 ? all : spelledOut(schema.components[kind]?.[name], depth + 1)),
  )

describe('the schema', () => {
  test('is OpenAPI 3.1 as JSON', async () => {
    const reply = await nobody.get('/openapi.json')
    expect(reply.headers['content-type']).toMatch(/^application\/json\b/)
    expect(schema.openapi).toMatch(/^3\.1\./)
    expect(schema.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
  })

  test('has every route and no other', () => {
    const documented = Object.entries(schema.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(documented.sort()).toEqual(routes.map(([path, method]) => `${method} ${path}`).sort())
  })

  test.each(routes)('%s %s needs %s and has its statuses', (path, method, scope, ok) => {
    const operation = operationOf(path, method)
    expect(operation?.security).toEqual(scope === null ? [] : [{ apiKey: [] }])
    expect(operation?.['x-scope'] ?? null).toBe(scope)
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(ok))
    const always = scope === null ? [] : ['401', '403', '429', '500', '503']
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(always))
  })

  test.each(own)('%s %s can answer with %o', (path, method, codes) => {
    const text = spelledOut(operationOf(path, method)?.responses)
    for (const code of codes) expect(text).toContain(`"${code}"`)
  })

  test.each(routes.filter(([, , scope]) => scope !== null))(
    '%s %s can answer with what any protected route can',
    (path, method) => {
      const text = spelledOut(operationOf(path, method)?.responses)
      for (const code of guarded) expect(text).toContain(`"${code}"`)
    },
  )

  test('has no reference that leads nowhere', () => {
    const references = new Set(JSON.stringify(schema).match(/"#\/components\/[^"]+"/g))
    for (const reference of references) {
      const [, , kind = '', name = ''] = reference.slice(1, -1).split('/')
      expect(schema.components[kind]?.[name], reference).toBeDefined()
    }
  })

  test.each(routes)('of %s %s is true: the route answers, with a status that is documented', async (path, method) => {
    // The stream of a list would not end.
    const refused: Record<string, string> = { '/v1/runs/stream': '?limit=0', '/v1/events/stream': '?cursor=x' }
    const asked = `${path.replace('{id}', 'nonsense')}${refused[path] ?? ''}`
    const reply = await acme.send({ method: method.toUpperCase(), path: asked })
    expect(Object.keys(operationOf(path, method)?.responses ?? {})).toContain(String(reply.status))
    expect(reply.json().reason_code).not.toBe('ROUTE_NOT_FOUND')
  })
})
