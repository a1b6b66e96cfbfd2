// Two cells behind a gate: each customer is served by its own, and a move between them loses and repeats nothing.
import { randomUUID } from 'node:crypto'
import { type Event, terminalEventTypes, type UsageRow } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { abortMove, moveCustomer } from '../../src/cells/move-customer.ts'
import type { KeyRoute } from '../../src/http/cells/key-routes.ts'
import { fromWireId } from '../../src/runtime/ids.ts'
import { findMoveState, setMoveState } from '../../src/store/cells/move-state.ts'
import { auditUsage } from '../../src/store/usage/audit.ts'
import { startCells, startGate } from '../support/cells.ts'
import { ofType, planned } from '../support/engine.ts'
import { gateTool } from '../support/gate-tool.ts'
import { Caller, emptyRun, expectRefusal } from '../support/http.ts'
import { forge, writeToken } from '../support/tokens.ts'

type Cells = Awaited<ReturnType<typeof startCells>>

const held = gateTool('held')
let cells: Cells
let acme: Caller
let other: Caller

beforeAll(async () => {
  cells = await startCells({ tools: [held.tool] })
  acme = new Caller(cells.gate.url, cells.a.key)
  other = new Caller(cells.gate.url, cells.b.key)
})
afterAll(() => cells.stop())

const times = { drainMs: 5_000, switchMs: 1_100, streamsMs: 0 }
const toB = () => ({ customerId: 'acme', source: cells.a, target: cells.b, times })
const toA = () => ({ customerId: 'acme', source: cells.b, target: cells.a, times })

/** Moves, and calls back when the given line is reported. */
async function move(where: ReturnType<typeof toB>, on: Record<string, () => unknown> = {}): Promise<string[]> {
  const said: string[] = []
  const work: unknown[] = []
  await moveCustomer({
    ...where,
    report: (line) => {
      said.push(line)
      for (const [words, act] of Object.entries(on)) if (line.includes(words)) work.push(act())
    },
  })
  await Promise.all(work)
  return said
}

const count = async (cell: 'a' | 'b', table: string): Promise<number> => {
  const text = `select count(*) from ${table} where customer_id = 'acme'`
  return (await cells[cell].database.run<{ count: number }>({ text }))[0]?.count ?? 0
}

async function usage(): Promise<Record<string, number>> {
  const { usage: rows } = (await acme.get('/v1/usage')).json<{ usage: UsageRow[] }>()
  return Object.fromEntries(rows.map(({ event_type, count: found }) => [event_type, found]))
}

const uuidOf = (id: string): string => fromWireId('run', id) ?? ''
const isTerminal = ({ type }: Event): boolean => (terminalEventTypes as readonly string[]).includes(type)

async function ended(caller: Caller, id: string): Promise<Event[]> {
  const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
  await stream.until(({ events }) => events.some(isTerminal), 20_000)
  stream.close()
  return stream.events
}

describe('the gate', () => {
  test('passes requests on to the cell of the key, with their id', async () => {
    const { id } = await acme.newRun(planned([{ id: 's', tool: 'calculator', input: { expression: '1 + 1' } }]))
    expect((await new Caller(cells.a.service.url, cells.a.key).get(`/v1/runs/${id}`)).status).toBe(200)
    expectRefusal(await other.get(`/v1/runs/${id}`), 404, 'RUN_NOT_FOUND')
    expect((await other.get('/v1/runs', { 'x-request-id': 'mine' })).headers['x-request-id']).toBe('mine')
  })

  test('passes a token on to the cell of its key, whatever it claims', async () => {
    const { id } = await other.newRun({ subject_id: 'me' })
    const keyId = cells.b.key.split(':')[0] ?? ''
    const { keyPepper } = cells.secrets
    const token = await writeToken({ database: cells.b.database, keyPepper, keyId }, { limits: { subjectId: 'me' } })
    expect((await new Caller(cells.gate.url, token).run(id)).id).toBe(id)
    const forged = new Caller(cells.gate.url, forge(token, { k: cells.a.key.split(':')[0] }))
    expectRefusal(await forged.get(`/v1/runs/${id}`), 401, 'TOKEN_INVALID')
  })

  test('an unknown key and a wrong secret get the same answer', async () => {
    const [keyId] = cells.b.key.split(':')
    for (const key of ['key_none:x', `${keyId}:x`]) {
      expectRefusal(await new Caller(cells.gate.url, key).get('/v1/runs'), 401, 'API_KEY_INVALID')
    }
    expectRefusal(await new Caller(cells.gate.url, null).get('/v1/runs'), 401, 'AUTH_HEADER_MISSING')
  })

  test('closes the streams of a customer that has moved, and no others', async () => {
    const [key] = cells.a.key.split(':')
    let home = 'a'
    const find = async (keyId: string): Promise<KeyRoute> => ({ kind: 'cell', name: keyId === key ? home : 'b' })
    const { url, gate, stop } = await startGate([cells.a, cells.b], { find })
    onTestFinished(stop)
    const open = async (secret: string) => {
      const caller = new Caller(url, secret)
      const { id } = await caller.newRun(planned([{ id: 'g', await_input: {} }]))
      const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
      await stream.until(({ events }) => ofType(events, 'run.awaiting_input').length === 1, 20_000)
      return stream
    }
    const [moved, stays] = [await open(cells.a.key), await open(cells.b.key)]
    expect(await gate.recheckStreams()).toEqual({ closed: 0 })
    home = 'b'
    expect(await gate.recheckStreams()).toEqual({ closed: 1 })
    await moved.closed
    expect(moved.messages.filter(({ event }) => event === 'error')).toEqual([])
    expect(await gate.recheckStreams()).toEqual({ closed: 0 })
    stays.close()
  })

  test('a path that looks like another host stays a path', async () => {
    expectRefusal(await acme.get('//127.0.0.1:1/v1/runs'), 404, 'ROUTE_NOT_FOUND')
    expectRefusal(await acme.get('/v1//127.0.0.1:1/'), 404, 'ROUTE_NOT_FOUND')
  })
})

test('a customer moves with its runs, answers, keys, usage and events, and is served by the new cell', async () => {
  const key = randomUUID()
  const body = { ...emptyRun, ...planned([{ id: 's', tool: 'calculator', input: { expression: '2 + 2' } }]) }
  const first = (await acme.create(body, { 'idempotency-key': key })).json<{ id: string }>()
  await ended(acme, first.id)
  const secret = {
    ...planned([
      { id: 'g', await_input: { input_kind: 'approval' } },
      { id: 's', tool: 'calculator', input: { expression: '1' } },
    ]),
    input: { password: 'correct horse' },
    sensitivity_tags: [{ path: '$.input.password', classification: 'credential' }],
  }
  const waiting = await acme.newRun(secret)
  const stream = await acme.stream(`/v1/runs/${waiting.id}/events/stream`)
  await stream.until(({ events }) => ofType(events, 'run.awaiting_input').length === 1, 20_000)
  const running = await acme.newRun(
    planned([
      { id: 'one', tool: 'held', input: {} },
      { id: 'two', tool: 'calculator', input: { expression: '3' } },
    ]),
  )
  const call = await held.called(uuidOf(running.id))
  const before = {
    usage: await usage(),
    keys: (await acme.get('/v1/keys')).json<{ keys: object[] }>().keys.length,
    first: await acme.events(first.id),
  }

  const refused: Promise<unknown>[] = []
  const said = await move(toB(), {
    'no further run is started': () => call.succeed(),
    'writes are held': () => {
      refused.push(
        acme.create().then((reply) => expectRefusal(reply, 503, 'CUSTOMER_MOVING')),
        acme.post(`/v1/runs/${waiting.id}/cancel`).then((reply) => expectRefusal(reply, 503, 'CUSTOMER_MOVING')),
        acme.post('/v1/keys', { scopes: ['runs:read'] }).then((reply) => expectRefusal(reply, 503, 'CUSTOMER_MOVING')),
        acme.run(waiting.id).then((run) => expect(run.status).toBe('running')),
        other.create().then((reply) => expect(reply.status).toBe(201)),
      )
    },
  })
  await Promise.all(refused)
  expect(refused).toHaveLength(5)
  expect(said.join('\n')).toContain('acme is served by b')

  await stream.closed
  // The gate or the old cell has closed it. Either way, the client is to connect again.
  const errors = stream.messages.filter(({ event }) => event === 'error')
  expect(errors.filter(({ data = '' }) => JSON.parse(data).reason_code !== 'CUSTOMER_MOVING')).toEqual([])
  const again = await acme.stream(`/v1/runs/${waiting.id}/events/stream`, {
    'last-event-id': String(stream.events.at(-1)?.seq),
  })
  expect((await acme.post(`/v1/runs/${waiting.id}/signal`, { action: 'approve' })).status).toBe(200)
  await again.until(({ events }) => events.some(isTerminal), 20_000)
  again.close()
  const seen = [...stream.events, ...again.events].map(({ seq }) => seq)
  expect(seen).toEqual(seen.map((_, index) => index + 1))
  expect(again.events.at(-1)?.type).toBe('run.worker.succeeded')

  expect((await acme.create(body, { 'idempotency-key': key })).json()).toMatchObject({ id: first.id, replayed: true })
  const course = await ended(acme, running.id)
  const [used, invoked] = [await usage(), before.usage['tool.invoked'] ?? 0]
  expect(used).toEqual({ ...before.usage, 'tool.invoked': invoked + 3, 'task.completed': invoked + 3 })
  expect((await auditUsage(cells.b.database, 'acme')).differences).toEqual([])
  expect(course.map(({ seq }) => seq)).toEqual(course.map((_, index) => index + 1))
  expect(ofType(course, 'run.tool.invoked')).toHaveLength(2)
  expect(held.calls.all.filter(({ context }) => context.runId === uuidOf(running.id))).toHaveLength(1)
  expect(await acme.events(first.id)).toEqual(before.first)
  expect((await acme.get('/v1/keys')).json<{ keys: object[] }>().keys).toHaveLength(before.keys)
  expect(await Promise.all(['runs', 'event_rows', 'api_keys'].map((table) => count('a', table)))).toEqual([0, 0, 0])
  expect(await findMoveState(cells.a.database, 'acme')).toEqual({ move: 'gone', cell: 'b' })
})

test('a move can be aborted until the switch, and the customer can move back', async () => {
  const { id } = await acme.newRun(planned([{ id: 'g', await_input: {} }]))
  const stop = new Error('stopped')
  const interrupted = moveCustomer({
    ...toA(),
    report: (line) => {
      if (line.includes('writes are held')) throw stop
    },
  })
  await expect(interrupted).rejects.toThrow(stop)
  expectRefusal(await acme.create(), 503, 'CUSTOMER_MOVING')
  await abortMove(toA())
  expect((await acme.create()).status).toBe(201)
  expect(await count('a', 'runs')).toBe(0)
  await move(toA())
  expect((await acme.run(id)).id).toBe(id)
  expect([await count('a', 'runs'), await count('b', 'runs')]).toEqual([expect.any(Number), 0])
  await expect(abortMove(toA())).rejects.toThrow('acme is not being moved to a.')
})

test('a customer that leaves is not claimed, and one that is held keeps others out of trouble', async () => {
  await setMoveState(cells.a.database, 'acme', { move: 'leaving', cell: 'b' })
  const { id } = await acme.newRun(planned([{ id: 's', tool: 'calculator', input: { expression: '1' } }]))
  await setMoveState(cells.a.database, 'acme', { move: 'held', cell: 'b' })
  expect((await acme.run(id)).status).toBe('queued')
  await setMoveState(cells.a.database, 'acme', { move: null, cell: null })
  expect((await ended(acme, id)).at(-1)?.type).toBe('run.worker.succeeded')
})

test('when a cell is down, its customers get 503 and the others are served', async () => {
  await cells.stopCell(cells.a)
  const reply = await acme.get('/v1/runs')
  expectRefusal(reply, 503, 'CELL_UNAVAILABLE')
  expect(reply.headers['retry-after']).toBe('2')
  expect((await other.get('/v1/runs')).status).toBe(200)
  expectRefusal(await new Caller(cells.gate.url, null).get('/v1/runs'), 401, 'AUTH_HEADER_MISSING')
})
