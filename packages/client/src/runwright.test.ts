import { type Route, type RouteName, routes } from '@runwright/contract'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { event, frame } from '../test/event-server.ts'
import { answer, type Handler, refusal, startServer } from '../test/protocol-server.ts'
import { type RunStep, Runwright, type RunwrightOptions, type Signal } from './index.ts'

const start = async (handle: Handler, options: Partial<RunwrightOptions> = {}) => {
  const server = await startServer(handle)
  const defaults = { baseUrl: server.url, apiKey: 'key_1:secret', initialRetryDelayMs: 1 }
  return { ...server, client: new Runwright({ ...defaults, ...options }) }
}

/** Every method of the client with all its parameters, and the route that it must call. */
const calls: Record<
  Exclude<RouteName, 'getSchema' | 'streamEvents' | 'streamRuns' | 'streamCustomerEvents'>,
  (client: Runwright) => Promise<unknown>
> = {
  createRun: ({ runs }) => runs.create({ input: { task: 'x' }, run_class: 'short' }, { requestId: 'my-1' }),
  listRuns: ({ runs }) => runs.list({ status: 'running', awaiting_input: false, limit: 200, cursor: 'c' }),
  countRuns: ({ runs }) => runs.count({ workspace_id: 'w', run_class: 'long' }),
  listAgents: ({ agents }) => agents.list(),
  listTools: ({ tools }) => tools.list(),
  getRun: ({ runs }) => runs.get('run_1', { include: ['usage', 'failure'] }),
  deleteRun: ({ runs }) => runs.delete('run_1'),
  cancelRun: ({ runs }) => runs.cancel('run_1'),
  retryRun: ({ runs }) => runs.retry('run_1'),
  resumeRun: ({ runs }) => runs.resume('run_1'),
  forkRun: ({ runs }) => runs.fork('run_1', { from_step: 'a', input: { task: 'y' } }),
  signalRun: ({ runs }) => runs.signal('run_1', { action: 'submit_input', payload: null, await_seq: 7 }),
  pollEvents: ({ events }) => events.poll('run_1', { cursor: 0, limit: 1, wait: 20 }),
  listTurns: ({ runs }) => runs.turns('run_1', { after: 0, limit: 1 }),
  getUsage: ({ usage }) => usage.get({ granularity: 'hour', group_by: ['workspace_id', 'subject_id'] }),
  listUsageEvents: ({ usage }) => usage.events({ event_type: 'tool.invoked', limit: 200, cursor: 'c' }),
  createSchedule: ({ schedules }) => schedules.create({ cron: '0 9 * * *', run: { input: {} } }),
  listSchedules: ({ schedules }) => schedules.list({ limit: 200, cursor: 'c' }),
  getSchedule: ({ schedules }) => schedules.get('sched_1'),
  updateSchedule: ({ schedules }) => schedules.update('sched_1', { paused: true }),
  deleteSchedule: ({ schedules }) => schedules.delete('sched_1'),
  createWebhook: ({ webhooks }) => webhooks.create({ url: 'https://a.example/', event_types: ['run.cancelled'] }),
  listWebhooks: ({ webhooks }) => webhooks.list({ limit: 200, cursor: 'c' }),
  getWebhook: ({ webhooks }) => webhooks.get('hook_1'),
  updateWebhook: ({ webhooks }) => webhooks.update('hook_1', { paused: false }),
  deleteWebhook: ({ webhooks }) => webhooks.delete('hook_1'),
  rotateWebhook: ({ webhooks }) => webhooks.rotate('hook_1', { overlap_seconds: 0 }),
  testWebhook: ({ webhooks }) => webhooks.test('hook_1'),
  listDeliveries: ({ webhooks }) => webhooks.deliveries('hook_1', { limit: 200, cursor: 'c' }),
  listAudit: ({ audit }) => audit.list({ action: 'key.create', key_id: 'k', target: 'run_1', limit: 200, cursor: '7' }),
  redeliver: ({ webhooks }) => webhooks.redeliver('hook_1', 'run_1_7'),
  listBudgets: ({ budgets }) => budgets.list({ limit: 200, cursor: 'c' }),
  getCustomerBudget: ({ budgets }) => budgets.get('customer'),
  putCustomerBudget: ({ budgets }) => budgets.put('customer', { period: 'month', tokens: 0 }),
  deleteCustomerBudget: ({ budgets }) => budgets.delete('customer'),
  getWorkspaceBudget: ({ budgets }) => budgets.get({ workspace_id: 'ws_1' }),
  putWorkspaceBudget: ({ budgets }) => budgets.put({ workspace_id: 'ws_1' }, { period: 'day', tokens: 10 }),
  deleteWorkspaceBudget: ({ budgets }) => budgets.delete({ workspace_id: 'ws_1' }),
  getSubjectBudget: ({ budgets }) => budgets.get({ subject_id: 'ws_1' }),
  putSubjectBudget: ({ budgets }) => budgets.put({ subject_id: 'ws_1' }, { period: 'day', tokens: 10 }),
  deleteSubjectBudget: ({ budgets }) => budgets.delete({ subject_id: 'ws_1' }),
  exportMemory: ({ memory }) => memory.export({ workspace_id: 'a/b', include_harness: true }),
  listMemory: ({ memory }) => memory.list({ status: 'active', limit: 1, offset: 2 }),
  getMemory: ({ memory }) => memory.get('mem_1', { include_embedding: true }),
  deleteMemory: ({ memory }) => memory.delete('mem_1'),
  createKey: ({ keys }) => keys.create({ name: 'n', scopes: ['runs:read'] }),
  listKeys: ({ keys }) => keys.list({ limit: 200, cursor: 'c' }),
  getKey: ({ keys }) => keys.get('key_1'),
  rotateKey: ({ keys }) => keys.rotate('key_1', { overlap_seconds: 0 }),
  revokeKey: ({ keys }) => keys.revoke('key_1'),
  createDecisionLink: ({ runs }) => runs.createDecisionLink('run_1', { await_seq: 1, person: 'ada', expires_in: 60 }),
  createToken: ({ tokens }) => tokens.create({ scopes: ['runs:read'], subject_id: 'u', expires_in: 60 }),
  getLive: ({ health }) => health.live(),
  getReady: ({ health }) => health.ready(),
  getDependencies: ({ health }) => health.dependencies(),
}

describe.each(Object.entries(calls))('%s', (name, call) => {
  const route: Route = routes[name as RouteName]

  test('sends what its route accepts, and returns the response', async () => {
    const { client, requests } = await start((_request, response) => answer(response, 200, { request_id: 'r' }))
    expect(await call(client)).toMatchObject({ request_id: 'r' })
    const [request] = requests
    expect(request?.method).toBe(route.method)
    expect(request?.path.replace(/(run|mem|key|ws|hook|sched)_1/, '{id}')).toBe(route.path)
    expect(route.query?.safeParse(request?.query).error).toBeUndefined()
    expect(route.body?.safeParse(request?.body).error).toBeUndefined()
    expect(Object.keys(request?.query ?? {}).length > 0).toBe(Boolean(route.query))
  })

  test('sends the key where it is needed, and an idempotency key where it is read', async () => {
    const { client, requests } = await start((_request, response) => answer(response, 200, {}))
    await call(client)
    const headers = requests[0]?.headers
    // The dependencies are open to everyone, and a caller with a key is told more.
    const sendsKey = route.scope !== null || name === 'getDependencies'
    expect(headers?.authorization).toBe(sendsKey ? 'Bearer key_1:secret' : undefined)
    expect(headers?.['idempotency-key']).toEqual(
      route.idempotencyKey ? expect.stringMatching(/^[0-9a-f]{32}$/) : undefined,
    )
  })

  test('throws an error with all fields of the envelope', async () => {
    const body = refusal('forbidden', 'SCOPE_DENIED')
    const { client, requests } = await start((_request, response) => answer(response, 403, body))
    const expected = { name: 'RunwrightError', status: 403, reasonCode: 'SCOPE_DENIED', requestId: 'req_1' }
    await expect(call(client)).rejects.toMatchObject({ ...expected, message: body.message })
    expect(requests).toHaveLength(1)
  })
})

test('usage is available as CSV, and a label in a path is encoded', async () => {
  const { client, requests } = await start((_request, response) => response.end('event_type,count'))
  expect(await client.usage.csv({ granularity: 'month' })).toBe('event_type,count')
  expect(requests[0]).toMatchObject({ path: '/v1/usage', headers: { accept: 'text/csv' } })
  await client.budgets.get({ subject_id: 'a/b c' }).catch(() => undefined)
  expect(requests[1]?.path).toBe('/v1/budgets/subjects/a%2Fb%20c')
})

test.each<Signal>([
  { action: 'submit_input', await_seq: 7, call: { deny: 'Paid already' } },
  { action: 'submit_input', call: { error: 'Declined' }, payload: { ticket: 7 } },
  {
    action: 'submit_input',
    calls: [
      { call_id: 'call_1', approve: true },
      { call_id: 'call_2', result: null },
    ],
  },
])('the service receives the signal %j', async (signal) => {
  const { client, requests } = await start((_request, response) => answer(response, 200, { ok: true }))
  await client.runs.signal('run_1', signal)
  expect(requests[0]?.body).toEqual(signal)
  expect(routes.signalRun.body.safeParse(requests[0]?.body).error).toBeUndefined()
})

describe('creating a run', () => {
  test('sends empty metadata if none is given', async () => {
    const { client, requests } = await start((_request, response) => answer(response, 201, {}))
    await client.runs.create({ input: {} })
    expect(requests[0]?.body).toEqual({ input: {}, metadata: {} })
  })

  test('keeps its generated key across retries, and uses a new one for the next run', async () => {
    const statuses = [503, 502, 201, 201]
    const { client, requests } = await start((_request, response) => answer(response, statuses.shift() ?? 500, {}))
    await client.runs.create({ input: {} })
    await client.runs.create({ input: {} })
    const [first, second, third, other] = requests.map(({ headers }) => headers['idempotency-key'])
    expect([second, third]).toEqual([first, first])
    expect(other).not.toBe(first)
  })

  test('uses the given key', async () => {
    const { client, requests } = await start((_request, response) => answer(response, 201, {}))
    await client.runs.create({ input: {} }, { idempotencyKey: 'order-17' })
    expect(requests[0]?.headers['idempotency-key']).toBe('order-17')
  })
})

describe('a failed request', () => {
  test('is retried when the connection is lost', async () => {
    let failures = 2
    const { client } = await start((_request, response) => {
      failures -= 1
      return failures < 0 ? answer(response, 200, { id: 'run_1' }) : response.destroy()
    })
    expect(await client.runs.get('run_1')).toMatchObject({ id: 'run_1' })
  })

  test('of a POST is retried with the same idempotency key', async () => {
    let failures = 2
    const { client, requests } = await start((_request, response) => {
      failures -= 1
      return failures < 0 ? answer(response, 200, { id: 'run_1' }) : response.destroy()
    })
    expect(await client.runs.retry('run_1')).toEqual({ id: 'run_1' })
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(requests).toHaveLength(3)
  })

  test('is thrown if no attempt gets a response', async () => {
    const { client } = await start((_request, response) => response.destroy(), { maxRetries: 1 })
    await expect(client.runs.retry('run_1')).rejects.toMatchObject({ name: 'RunwrightError', status: undefined })
  })

  test('contains Retry-After', async () => {
    const body = refusal('rate_limited', 'QUEUE_LIMIT_REACHED')
    const handle: Handler = (_request, response) => answer(response, 429, body, { 'retry-after': '90' })
    const { client } = await start(handle)
    await expect(client.runs.create({ input: {} })).rejects.toMatchObject({ status: 429, retryAfter: 90 })
  })

  test('contains the request id of the header if a proxy wrote the body', async () => {
    const handle: Handler = (_request, response) => response.writeHead(502, { 'x-request-id': 'req_9' }).end('<html>')
    const { client } = await start(handle, { maxRetries: 0 })
    const expected = { status: 502, reasonCode: undefined, requestId: 'req_9', message: /502/ }
    await expect(client.usage.get()).rejects.toMatchObject(expected)
  })

  test('is also a response that is not JSON', async () => {
    const { client } = await start((_request, response) => response.end('<html>'))
    await expect(client.usage.get()).rejects.toMatchObject({ name: 'RunwrightError', message: /not JSON/ })
  })

  test('ends when the caller aborts', async () => {
    const controller = new AbortController()
    const { client } = await start(() => controller.abort(new Error('enough')))
    await expect(client.runs.get('run_1', { signal: controller.signal })).rejects.toThrow('enough')
  })
})

describe('lists', () => {
  const pages: Record<string, unknown> = {
    '': { runs: [{ id: 'a' }, { id: 'b' }], next_cursor: 'p2', request_id: 'r' },
    p2: { runs: [{ id: 'c' }], next_cursor: null, request_id: 'r' },
  }

  test('of runs continue to the last page, with the same filters', async () => {
    const { client, requests } = await start(({ query }, response) => answer(response, 200, pages[query.cursor ?? '']))
    const ids: string[] = []
    for await (const run of client.runs.all({ status: 'failed' })) ids.push(run.id)
    expect(ids).toEqual(['a', 'b', 'c'])
    expect(requests.map(({ query }) => query)).toEqual([{ status: 'failed' }, { status: 'failed', cursor: 'p2' }])
  })

  test('of turns continue until there are no more', async () => {
    const { client, requests } = await start(({ query }, response) => {
      const after = Number(query.after ?? 0)
      const turns = after < 4 ? [{ seq: after + 1 }, { seq: after + 2 }] : []
      answer(response, 200, { turns, next_after: after + turns.length })
    })
    const seqs: number[] = []
    for await (const turn of client.runs.allTurns('run_1', { limit: 2 })) seqs.push(turn.seq)
    expect(seqs).toEqual([1, 2, 3, 4])
    expect(requests.map(({ query }) => query.after)).toEqual([undefined, '2', '4'])
  })

  test('of memory items continue until a page is not full', async () => {
    const { client, requests } = await start(({ query }, response) => {
      const left = 5 - Number(query.offset)
      const items = Array.from({ length: Math.min(2, left) }, (_, index) => ({ id: `${Number(query.offset) + index}` }))
      answer(response, 200, { items, limit: 2, offset: Number(query.offset) })
    })
    const ids: string[] = []
    for await (const item of client.memory.all({ limit: 2 })) ids.push(item.id)
    expect(ids).toEqual(['0', '1', '2', '3', '4'])
    expect(requests.map(({ query }) => query.offset)).toEqual(['0', '2', '4'])
  })
})

describe('waiting for a run', () => {
  test('returns immediately if it has ended', async () => {
    const { client, requests } = await start((_request, response) => answer(response, 200, { status: 'failed' }))
    expect(await client.runs.wait('run_1')).toEqual({ status: 'failed', output: null })
    expect(requests).toHaveLength(1)
  })

  test('follows its events to the end, across a retried failure', async () => {
    let status = 'running'
    const streams = [frame(1, 'run.worker.failed'), frame(2, 'run.worker.succeeded')]
    const { client, requests } = await start(({ path, query }, response) => {
      if (path.endsWith('/stream')) return response.end(streams.shift())
      if (path.endsWith('/events')) {
        // The retry happens just after the client has checked for more events.
        status = query.cursor === '1' ? 'queued' : 'succeeded'
        return answer(response, 200, { events: [], next_cursor: 1, request_id: 'r' })
      }
      return answer(response, 200, { status })
    })
    expect(await client.runs.wait('run_1')).toEqual({ status: 'succeeded', output: null })
    const cursors = requests.filter(({ path }) => path.endsWith('/stream')).map(({ query }) => query.cursor)
    expect(cursors).toEqual(['0', '1'])
  })

  test('ends when the caller aborts', async () => {
    const controller = new AbortController()
    const { client } = await start(({ path }, response) => {
      if (path.endsWith('/stream')) controller.abort(new Error('enough'))
      else answer(response, 200, { status: 'running', events: [event(1)] })
    })
    await expect(client.runs.wait('run_1', { signal: controller.signal })).rejects.toThrow('enough')
  })
})

describe('the output of a run', () => {
  interface Invoice {
    readonly total: number
  }
  const ended = {
    id: 'run_1',
    status: 'succeeded',
    event_payload: { redacted: false, value: { content: '', output: { total: 3 } } },
  }

  test('has the type that the create names, also after the wait', async () => {
    const { client, requests } = await start(({ method }, response) =>
      answer(
        response,
        200,
        method === 'POST' ? { id: 'run_1', event_payload: { redacted: true, value: null } } : ended,
      ),
    )
    const created = await client.runs.create<Invoice>({ input: {} })
    expect(created.output).toBeNull()
    const run = await client.runs.wait(created, { include: ['usage'] })
    expectTypeOf(run.output).toEqualTypeOf<Invoice | null>()
    expect(run.output?.total).toBe(3)
    expect(requests[1]?.query.include).toBe('usage')
  })

  test('has the type that a read names, and none otherwise', async () => {
    const { client } = await start((_request, response) => answer(response, 200, ended))
    expectTypeOf((await client.runs.get<Invoice>('run_1')).output).toEqualTypeOf<Invoice | null>()
    expectTypeOf((await client.runs.wait('run_1')).output).toEqualTypeOf<unknown>()
    expect((await client.runs.get('run_1')).output).toEqual({ total: 3 })
    expect((await client.runs.fork('run_1', { from_step: 'a' })).output).toEqual({ total: 3 })
  })
})

test('the steps of a run are a list, also if the service has none', async () => {
  const lists = [[{ id: 'a', state: 'skipped' }], null]
  const { client, requests } = await start((_request, response) => answer(response, 200, { steps: lists.shift() }))
  const steps = await client.runs.steps('run_1')
  expectTypeOf(steps).toEqualTypeOf<readonly RunStep[]>()
  expect(steps.map(({ id, state }) => [id, state])).toEqual([['a', 'skipped']])
  expect(await client.runs.steps('run_1')).toEqual([])
  expect(requests[0]?.query).toEqual({ include: 'steps' })
})

describe('health', () => {
  test.each([
    ['ready', { status: 'unavailable', ...refusal('unavailable', 'SHUTTING_DOWN') }],
    ['dependencies', { status: 'down', ...refusal('unavailable', 'DATABASE_UNAVAILABLE') }],
  ] as const)('%s with an unhealthy state is a regular result', async (probe, body) => {
    const { client, requests } = await start((_request, response) => answer(response, 503, body))
    expect(await client.health[probe]()).toEqual(body)
    expect(requests).toHaveLength(1)
  })

  test('with only an error envelope is an error', async () => {
    const body = refusal('unavailable', 'OVERLOADED')
    const { client } = await start((_request, response) => answer(response, 503, body))
    await expect(client.health.ready()).rejects.toMatchObject({ status: 503, reasonCode: 'OVERLOADED' })
  })
})

describe('the client', () => {
  test.each(['localhost:8080', 'ftp://localhost', 'http://'])('refuses the URL %s', (baseUrl) => {
    expect(() => new Runwright({ baseUrl, apiKey: 'k:s' })).toThrow(TypeError)
  })

  test.each(['http://h', 'http://h/', 'http://h/api//', '', '/api'])('accepts the URL "%s"', async (baseUrl) => {
    const urls: string[] = []
    const fetch = async (url: string | URL | Request) => {
      urls.push(String(url))
      return Response.json({})
    }
    await new Runwright({ baseUrl, apiKey: 'k:s', fetch }).keys.list()
    expect(urls).toEqual([`${baseUrl.replace(/\/+$/, '')}/v1/keys`])
  })

  test.each(['', '.', '..'])('refuses "%s" as an id, since it would change the path', async (id) => {
    const { client, requests } = await start((_request, response) => answer(response, 200, {}))
    await expect(client.runs.cancel(id)).rejects.toThrow(TypeError)
    await expect(client.events.stream(id).next()).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
  })

  test('encodes special characters of an id', async () => {
    const { client, requests } = await start((_request, response) => answer(response, 200, {}))
    await client.runs.get('a/../b?c#d')
    expect(requests[0]?.path).toBe('/v1/runs/a%2F..%2Fb%3Fc%23d')
  })
})
