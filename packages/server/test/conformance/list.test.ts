// GET /v1/runs: newest first, every filter, pages that neither skip nor repeat.
import type { ListedRun, RunList } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver } from '../support/drive.ts'
import { aRun, Caller, expectRefusal, requestIdPattern } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let made: string[]
const byState: Record<string, string> = {}

beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  const driver = new Driver(service.database)
  const make = async (name: string, body: object = {}) => {
    byState[name] = (await acme.newRun({ workspace_id: 'w', ...body })).id
    return byState[name]
  }
  await make('queued')
  await driver.toRunning(await make('running', { subject_id: 's' }))
  await driver.toAwaiting(await make('awaiting', { run_class: 'long' }))
  await driver.toStalled(await make('stalled'))
  await driver.toFailed(await make('failed', { workspace_id: 'W/ü' }))
  await acme.post(`/v1/runs/${await make('cancelled', { subject_id: 's' })}/cancel`)
  await driver.toSucceeded(await make('succeeded', { run_class: 'short' }))
  await new Caller(service.url, service.otherKey).newRun({ workspace_id: 'w' })
  made = Object.values(byState).reverse()
})
afterAll(() => service.stop())

const list = async (query = '') => (await acme.get(`/v1/runs${query}`)).json<RunList>()
const idsOf = (runs: readonly ListedRun[]) => runs.map(({ id }) => id)
const named = (...names: string[]) => names.map((name) => byState[name])

test('the list has exactly its fields, and its runs are runs without request_id and replayed', async () => {
  const { runs, ...rest } = await list()
  expect(rest).toEqual({ next_cursor: null, request_id: expect.stringMatching(requestIdPattern) })
  const { request_id, ...listed } = aRun({ status: expect.any(String), run_class: expect.any(String) })
  const labels = { workspace_id: expect.any(String), subject_id: expect.toBeOneOf([null, 's']) }
  for (const run of runs) expect(run).toEqual({ ...listed, ...labels, event_payload: expect.any(Object) })
  expect(request_id).toBeDefined()
})

test('runs come newest first, those of other customers not at all', async () => {
  expect(idsOf((await list()).runs)).toEqual(made)
})

test('each is the same as when it is got, without the value of its result', async () => {
  for (const run of (await list()).runs) {
    const { request_id, ...got } = await acme.run(run.id)
    expect(run).toEqual({ ...got, event_payload: { ...got.event_payload, value: null } })
    expect(request_id).toBeDefined()
  }
})

describe('include', () => {
  const parts = 'title,agent,awaiting_input,failure,limits,usage'

  test('adds the result as it is when it is got', async () => {
    const { runs } = await list('?include=result')
    for (const run of runs) {
      const { request_id, ...got } = await acme.run(run.id)
      expect(run).toEqual(got)
      expect(request_id).toBeDefined()
    }
    expect(runs.find(({ status }) => status === 'succeeded')?.event_payload.value).not.toBeNull()
  })

  test('adds the parts as they are when the run is got, null where there is none', async () => {
    for (const run of (await list(`?include=${parts},result`)).runs) {
      const { request_id, ...got } = (await acme.get(`/v1/runs/${run.id}?include=${parts}`)).json()
      expect(run).toEqual(got)
      expect(request_id).toBeDefined()
    }
    const { runs } = await list(`?include=${parts}`)
    expect(runs.filter(({ failure }) => failure !== null).map(({ id }) => id)).toEqual(named('failed'))
    expect(runs.filter(({ awaiting_input }) => awaiting_input !== null).map(({ id }) => id)).toEqual(named('awaiting'))
    expect(runs.every(({ usage, event_payload }) => usage && event_payload.value === null)).toBe(true)
  })

  test.each(['plan', 'results', 'result,nonsense', 'result,result', '', ',', 'result;usage', 'RESULT'])(
    '%j answers 400',
    async (include) => {
      expectRefusal(await acme.get(`/v1/runs?include=${include}`), 400, 'RUNS_QUERY_PARAMS_INVALID')
    },
  )

  test('pages by bytes too: no run is skipped or repeated, and a large result comes alone', async () => {
    const other = new Caller(service.url, service.otherKey)
    const driver = new Driver(service.database, 'other')
    const ids: string[] = []
    for (const megabytes of [0.9, 1.5, 1.5, 5, 0.1, 3, 0.5]) {
      const { id } = await other.newRun({ workspace_id: 'large' })
      const value = { content: 'x'.repeat(megabytes * 1024 * 1024), output: null }
      await driver.toSucceeded(id, { redacted: false, value })
      ids.unshift(id)
    }
    const pages: RunList[] = []
    for (let cursor = ''; pages.at(-1)?.next_cursor !== null; cursor = `&cursor=${pages.at(-1)?.next_cursor}`) {
      const reply = await other.get(`/v1/runs?workspace_id=large&include=result${cursor}`)
      pages.push(reply.json<RunList>())
      if (pages.at(-1)?.runs.length !== 1) expect(reply.text.length).toBeLessThanOrEqual(4 * 1024 * 1024)
    }
    expect(pages.map(({ runs }) => runs.length)).toEqual([3, 1, 3])
    expect(pages.flatMap(({ runs }) => idsOf(runs))).toEqual(ids)
    expect((await other.get('/v1/runs?workspace_id=large')).json<RunList>().runs).toHaveLength(7)
  })
})

describe('a filter', () => {
  test.each([
    ['status=queued', ['queued']],
    ['status=running', ['awaiting', 'running']],
    ['status=stalled', ['stalled']],
    ['status=succeeded', ['succeeded']],
    ['status=failed', ['failed']],
    ['status=cancelled', ['cancelled']],
    ['status=queued,failed', ['failed', 'queued']],
    ['status=queued%2Cfailed', ['failed', 'queued']],
    ['status=running,failed&awaiting_input=true', ['awaiting']],
    ['awaiting_input=true', ['awaiting']],
    ['awaiting_input=false', ['succeeded', 'cancelled', 'failed', 'stalled', 'running', 'queued']],
    ['status=running&awaiting_input=false', ['running']],
    ['status=failed&awaiting_input=true', []],
    ['workspace_id=w', ['succeeded', 'cancelled', 'stalled', 'awaiting', 'running', 'queued']],
    ['workspace_id=W%2F%C3%BC', ['failed']],
    ['workspace_id=nobody', []],
    ['subject_id=s', ['cancelled', 'running']],
    ['workspace_id=w&subject_id=s&status=running', ['running']],
    ['run_class=short', ['succeeded']],
    ['run_class=long', ['awaiting']],
    ['run_class=default&subject_id=s', ['cancelled', 'running']],
    ['workspace_id=%25', []],
  ])('%s', async (query, names) => {
    const { runs, next_cursor } = await list(`?${query}`)
    expect(idsOf(runs)).toEqual(named(...names))
    expect(next_cursor).toBeNull()
  })

  test('created_after takes its instant in, created_before leaves it out', async () => {
    const { metadata } = await acme.run(byState.stalled ?? '')
    const at = metadata.created_at
    const after = idsOf((await list(`?created_after=${at}`)).runs)
    const before = idsOf((await list(`?created_before=${at}`)).runs)
    expect(after).toContain(byState.stalled)
    expect(before).not.toContain(byState.stalled)
    expect([...after, ...before]).toEqual(made)
  })

  test('of times takes any offset', async () => {
    const { metadata } = await acme.run(byState.stalled ?? '')
    const shifted = new Date(Date.parse(metadata.created_at) + 5_400_000).toISOString().replace('Z', '%2B01:30')
    expect(await list(`?created_after=${shifted}`)).toMatchObject({
      runs: (await list(`?created_after=${metadata.created_at}`)).runs,
    })
  })
})

test('a list that is sent as several parameters is refused, and the message says how to send it', async () => {
  const reply = await acme.get('/v1/runs?status=queued&status=failed')
  expectRefusal(reply, 400, 'RUNS_QUERY_PARAMS_INVALID')
  expect(reply.json<{ message: string }>().message).toBe(
    'Query parameter "status" occurs more than once. Send it once; a list has commas between its values.',
  )
})

test.each(['-23:59', '%2B23:59', '-16:00'])(
  'an offset of %s, which ISO 8601 allows, is not a failure of the service',
  async (offset) => {
    for (const name of ['created_after', 'created_before']) {
      const reply = await acme.get(`/v1/runs?${name}=2026-11-15T00:00:00${offset}`)
      expect([200, 400], reply.text).toContain(reply.status)
    }
  },
)

describe('pages', () => {
  const walk = async (query: string, { caller = acme, between = async (): Promise<unknown> => undefined } = {}) => {
    const pages: string[][] = []
    let next = ''
    do {
      const page = (await caller.get(`/v1/runs?${query}${next}`)).json<RunList>()
      pages.push(idsOf(page.runs))
      next = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`
      await between()
    } while (next !== '')
    return pages
  }

  test.each([1, 2, 3, 6, 7, 200])('of %i hold every run once, in order', async (limit) => {
    const pages = await walk(`limit=${limit}`)
    expect(pages.flat()).toEqual(made)
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
  })

  test('keep their filter and order', async () => {
    expect((await walk('limit=1&subject_id=s')).flat()).toEqual(named('cancelled', 'running'))
    expect((await walk('limit=2&awaiting_input=false')).flat()).toEqual(made.filter((id) => id !== byState.awaiting))
  })

  test('show no run twice and miss none that was there, while others are made', async () => {
    const other = new Caller(service.url, service.otherKey)
    const make = () => other.newRun({ workspace_id: 'walk' })
    const there = await Promise.all(Array.from({ length: 5 }, make))
    const pages = await walk('limit=2&workspace_id=walk', { caller: other, between: make })
    expect(pages.flat().sort()).toEqual(there.map(({ id }) => id).sort())
  })

  test('are of 50 by default', async () => {
    const other = new Caller(service.url, service.otherKey)
    await Promise.all(Array.from({ length: 55 }, () => other.newRun({ workspace_id: 'many' })))
    const page = (await other.get('/v1/runs?workspace_id=many')).json<RunList>()
    expect(page.runs).toHaveLength(50)
    expect(page.next_cursor).toEqual(expect.any(String))
  })

  test('of another customer cannot be read with a cursor from here', async () => {
    const { next_cursor } = await list('?limit=1')
    const other = new Caller(service.url, service.otherKey)
    const reply = await other.get(`/v1/runs?cursor=${encodeURIComponent(next_cursor ?? '')}`)
    expect(reply.status === 400 || idsOf(reply.json<RunList>().runs).every((id) => !made.includes(id))).toBe(true)
  })
})

describe('a bad query answers 400', () => {
  test.each([
    ...[
      'status=',
      'status=done',
      'status=awaiting_input',
      'status=queued,queued',
      'status=queued,',
      'status=queued&status=failed',
      'status=QUEUED',
    ],
    ...[
      'awaiting_input=',
      'awaiting_input=1',
      'awaiting_input=yes',
      'awaiting_input=TRUE',
      'workspace_id=',
      'subject_id=',
    ],
    ...[
      `workspace_id=${'x'.repeat(256)}`,
      'run_class=',
      'run_class=medium',
      'created_after=',
      'created_after=yesterday',
    ],
    ...[
      'created_after=2026-11-15',
      'created_after=2026-11-15T00:00:00',
      'created_before=2026-02-30T00:00:00Z',
      'created_before=1',
    ],
    ...[
      'limit=',
      'limit=0',
      'limit=201',
      'limit=-1',
      'limit=1.5',
      'limit=ten',
      'limit=1e1',
      'limit=%2B5',
      'limit=5&limit=5',
    ],
    ...[
      'limit=99999999999999999999',
      'cursor=',
      'cursor=nonsense',
      'cursor=%00',
      'cursor=MQ',
      'cursor=eyJhIjoxfQ',
      'cursor=0',
    ],
    ...['agent=', 'error=', 'q=', 'q=%20', 'q=%00', `q=${'x'.repeat(201)}`, 'q=a&q=b'],
    ...['nonsense=1', 'offset=0', 'sort=asc', 'include=plan', 'Status=queued', '=', 'status[]=queued'],
  ])('?%s', async (query) => {
    expectRefusal(await acme.get(`/v1/runs?${query}`), 400, 'RUNS_QUERY_PARAMS_INVALID')
  })

  test.each(['limit=1', 'limit=200'])('but ?%s is good', async (query) => {
    expect((await acme.get(`/v1/runs?${query}`)).status).toBe(200)
  })

  test('and the message names the parameter', async () => {
    expect((await acme.get('/v1/runs?nonsense_parameter=1')).json().message).toContain('nonsense_parameter')
  })
})
