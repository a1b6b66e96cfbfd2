// The stream of the events of all runs of a customer, as a client gets it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller, emptyRun, type SseStream } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const path = '/v1/events/stream'
const run = {
  ...emptyRun,
  routing_hint: 'skip_planning',
  input: { sandbox: { steps: [{ say: 'one two three', tokens: 5 }, { say: 'end' }] } },
}

interface Told {
  readonly run_id: string
  readonly seq: number
  readonly type: string
}

const toldBy = ({ events }: SseStream) => events as unknown as Told[]
const endsIn = (events: readonly Told[]) => events.filter(({ type }) => type === 'run.worker.succeeded').length
const lastIdOf = ({ messages }: SseStream) => messages.findLast(({ id }) => id !== undefined)?.id ?? ''

describe('the events of all runs', () => {
  let service: Service
  let caller: Caller
  beforeAll(async () => {
    service = await startService({}, { worker: true })
    caller = new Caller(service.url, service.key)
  })
  afterAll(() => service.stop())

  const open = (headers = {}) => caller.stream(path, headers)
  const expectWhole = async (events: readonly Told[], ids: readonly string[]) => {
    for (const id of ids) {
      const { events: own } = (await caller.get(`/v1/runs/${id}/events?limit=200`)).json<{ events: object[] }>()
      expect(events.filter(({ run_id }) => run_id === id)).toEqual(own.map((event) => ({ run_id: id, ...event })))
    }
  }

  test('begin where the stream is opened, and are those of each run, whole and in order', async () => {
    const { id: before } = await caller.newRun(run)
    const old = await caller.stream(`/v1/runs/${before}/events/stream`)
    await old.until((one) => endsIn(toldBy(one)) === 1)
    old.close()
    const stream = await open()
    await stream.until(({ messages }) => messages.some(({ event }) => event === 'position'))
    const runs = await Promise.all(Array.from({ length: 20 }, () => caller.newRun(run)))
    await stream.until((all) => endsIn(toldBy(all)) === 20, 20_000)
    stream.close()
    const ids = runs.map(({ id }) => id)
    expect(new Set(toldBy(stream).map(({ run_id }) => run_id))).toEqual(new Set(ids))
    await expectWhole(toldBy(stream), ids)
  })

  test('continue after a lost connection without a gap and without a repetition', async () => {
    const first = await open()
    await first.until(({ messages }) => messages.some(({ event }) => event === 'position'))
    const creates = Array.from({ length: 30 }, () => caller.newRun(run))
    const streams = [first]
    for (const ended of [3, 9, 15, 30]) {
      const stream = streams.at(-1) as SseStream
      await stream.until(() => endsIn(streams.flatMap(toldBy)) >= ended, 20_000)
      stream.close()
      await stream.closed
      if (ended < 30) streams.push(await open({ 'last-event-id': lastIdOf(stream) }))
    }
    const ids = (await Promise.all(creates)).map(({ id }) => id)
    await expectWhole(streams.flatMap(toldBy), ids)
  })

  test('are not shown to another customer', async () => {
    const other = await new Caller(service.url, service.otherKey).stream(path)
    const own = await open()
    const { id } = await caller.newRun(run)
    await own.until((stream) => endsIn(toldBy(stream)) === 1)
    const theirs = await new Caller(service.url, service.otherKey).newRun(run)
    await other.until((stream) => endsIn(toldBy(stream)) === 1)
    expect(new Set(toldBy(other).map(({ run_id }) => run_id))).toEqual(new Set([theirs.id]))
    expect(toldBy(own).every(({ run_id }) => run_id === id)).toBe(true)
    other.close()
    own.close()
  })

  test('can be read from any position, also the first', async () => {
    const cursor = Buffer.from('0:00000000-0000-0000-0000-000000000000:0').toString('base64url')
    const { id } = await caller.newRun(run)
    const stream = await caller.stream(`${path}?cursor=${cursor}`)
    await stream.until((all) =>
      toldBy(all).some(({ run_id, type }) => run_id === id && type === 'run.worker.succeeded'),
    )
    stream.close()
    const { runs } = (await caller.get('/v1/runs?limit=200')).json<{ runs: { id: string }[] }>()
    expect(runs.length).toBeGreaterThan(50)
    await expectWhole(
      toldBy(stream),
      runs.map((one) => one.id),
    )
  })

  test.each(['x', 'MTIz', '%00'])('with the cursor %s are refused', async (cursor) => {
    const { status, text } = await caller.get(`${path}?cursor=${cursor}`)
    expect([status, JSON.parse(text).reason_code]).toEqual([400, 'EVENTS_QUERY_PARAMS_INVALID'])
  })

  test('have at most ten streams', async () => {
    const streams = await Promise.all(Array.from({ length: 10 }, () => open()))
    const { status, text, headers } = await caller.get(path)
    expect([status, JSON.parse(text).reason_code, headers['retry-after']]).toEqual([429, 'STREAM_LIMIT_REACHED', '5'])
    for (const stream of streams) stream.close()
    await Promise.all(streams.map(({ closed }) => closed))
  })
})
