// Several processes on one database: a worker that is cut off, one that shuts down, and what the next one does with
// their runs.
import { randomBytes } from 'node:crypto'
import type { Event, SignalAction } from '@runwright/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bootstrapKeys } from '../../src/access/bootstrap.ts'
import { createApp } from '../../src/app.ts'
import { chooseModels, modelBook } from '../../src/models/choose-models.ts'
import { fromWireId } from '../../src/runtime/ids.ts'
import { createLogger } from '../../src/runtime/logger.ts'
import { readSettings } from '../../src/runtime/settings/settings.ts'
import { type ConnectionOptions, Database } from '../../src/store/postgres/database.ts'
import { builtInTools } from '../../src/tools/built-in/built-in-tools.ts'
import type { Tool, ToolEffect } from '../../src/tools/port/tool.ts'
import { freshDatabase } from '../support/database.ts'
import { Bench, ofType, outline, planned, scripted, thenStep } from '../support/engine.ts'
import { Caller } from '../support/http.ts'
import { startLine } from '../support/line.ts'
import { Occurrences } from '../support/occurrences.ts'
import { ownTool, type RecordedCall } from '../support/own-tool.ts'
import type { Service } from '../support/service.ts'

/** One database, and services on it that come and go. */
interface Site {
  readonly database: Database
  readonly connection: ConnectionOptions
  start(env?: Record<string, string>, options?: SiteOptions): Promise<Service>
  drop(): Promise<void>
}

interface SiteOptions {
  readonly tools?: readonly Tool[]
  /** False: it only answers requests. */
  readonly worker?: boolean
  /** Another way to the same database. */
  readonly connection?: ConnectionOptions
}

async function openSite(): Promise<Site> {
  const { connection, database, drop } = await freshDatabase()
  const key = `key_acme:${randomBytes(12).toString('hex')}`
  const otherKey = `key_other:${randomBytes(12).toString('hex')}`
  const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
  const own = {
    RUNWRIGHT_PORT: '0',
    RUNWRIGHT_BOOTSTRAP_KEYS: `acme=${key},other=${otherKey}`,
    // A worker whose event loop stands still for a third of it gives its runs up.
    RUNWRIGHT_LEASE_SECONDS: '2.4',
    RUNWRIGHT_HEARTBEAT_SECONDS: '0.1',
    RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0',
  }
  const start = async (env: Record<string, string> = {}, options: SiteOptions = {}): Promise<Service> => {
    const settings = readSettings({ ...own, ...env })
    const log = new Occurrences<string>()
    const stream = { write: (line: string) => log.add(line) }
    const logger = createLogger({ level: settings.logging.level, stream })
    await bootstrapKeys({ database, keyPepper: secrets.keyPepper, keys: settings.secrets.bootstrapKeys, logger })
    const tools = [...builtInTools(), ...(options.tools ?? [])]
    const worker = { models: await chooseModels(settings.models, modelBook(process.env)), tools }
    const app = createApp({
      settings,
      connection: options.connection ?? connection,
      secrets,
      logger,
      api: {},
      ...(options.worker !== false && { worker }),
    })
    const url = (await app.start()) as string
    return { url, key, otherKey, database, log, reload: () => app.reload(), stop: () => app.stop() }
  }
  return { database, connection, start, drop }
}

let site: Site
/** Only answers requests and sweeps: workers come and go beside it. */
let bench: Bench
const running: Service[] = []
const lines: Awaited<ReturnType<typeof startLine>>[] = []
beforeAll(async () => {
  site = await openSite()
  bench = new Bench(await site.start({}, { worker: false }))
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()))
  await Promise.all(lines.splice(0).map((line) => line.close()))
})
afterAll(async () => {
  await bench.stop()
  await site.drop()
})

async function startWorker(options: SiteOptions = {}, env: Record<string, string> = {}): Promise<Service> {
  const service = await site.start(env, options)
  running.push(service)
  return service
}

/** A run whose only tool call was begun by a worker that was then cut off from the database. */
async function cutOffInCall(effect: ToolEffect) {
  const line = await startLine(site.connection)
  lines.push(line)
  // A person is asked when the call can no longer be under way.
  const timeoutSeconds = effect === 'once' ? 2 : 600
  const dying = ownTool({ name: 'pay', effect, held: true, timeoutSeconds })
  await startWorker({ tools: [dying], connection: line.connection })
  const id = await bench.create(scripted([{ say: 'paid', tools: [{ name: 'pay', input: { amount: 5 } }] }]))
  const call = await dying.called(id)
  line.cut()
  await bench.seen(id, 'run.worker.stalled')
  return { id, line, call, dying }
}

const slowLease = { RUNWRIGHT_LEASE_SECONDS: '30', RUNWRIGHT_HEARTBEAT_SECONDS: '5' }
const identity = (call: RecordedCall | undefined) => [call?.context.toolCallId, call?.context.idempotencyKey]

describe('a worker that is cut off', () => {
  test('keeps its call, since the database may only be away, and aborts it when it learns that the run is lost', async () => {
    const { id, call, line, dying } = await cutOffInCall('read')
    expect(outline(await bench.events(id)).at(-1)).toBe('stalled heartbeat_lost')
    expect(call.context.signal.aborted).toBe(false)
    line.mend()
    await call.aborted
    dying.release()
    expect(outline(await bench.ended(id, 1, 15_000)).at(-1)).toBe('succeeded')
  })

  test('writes nothing when it comes back', async () => {
    const { id, line } = await cutOffInCall('read')
    await startWorker({ tools: [ownTool({ name: 'pay' })] })
    const { length } = await bench.ended(id)
    line.mend()
    await Promise.all(running.splice(0).map((service) => service.stop()))
    expect(await bench.events(id)).toHaveLength(length)
  })

  test.each([['read'], ['idempotent']] as const)(
    'in a %s call: another makes it again under the same id and key',
    async (effect) => {
      const { id, line, call } = await cutOffInCall(effect)
      const living = ownTool({ name: 'pay', effect })
      await startWorker({ tools: [living] })
      const events = await bench.ended(id)
      const lines = outline(events).slice(2)
      // The start of a call that only reads is not waited for: it may be lost, and is then written again.
      if (effect === 'idempotent') expect(lines[0]).toBe('tool_call_start pay')
      expect(lines.filter((line) => line === 'tool_call_start pay')).toHaveLength(1)
      expect(lines.indexOf('tool_call_start pay')).toBeLessThan(lines.indexOf('tool_call_done pay'))
      expect(lines.filter((line) => line !== 'tool_call_start pay')).toEqual([
        'stalled heartbeat_lost',
        'resumed running',
        'tool_call_done pay',
        'invoked pay succeeded',
        'step.done succeeded',
        'judge stop all_done',
        'succeeded',
      ])
      const [again] = living.callsOf(id)
      expect(again?.input).toEqual({ amount: 5 })
      expect(identity(again)).toEqual(identity(call))
      expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ tool_call_id: call.context.toolCallId }])
      line.mend()
    },
  )
})

describe('a worker that is cut off in a once call', () => {
  const answered = async (action: SignalAction, payload?: unknown) => {
    const { id, line, call } = await cutOffInCall('once')
    const living = ownTool({ name: 'pay', effect: 'once' })
    await startWorker({ tools: [living] })
    const seq = await bench.waits(id)
    expect(living.calls).toEqual([])
    await bench.signal(id, action, payload === undefined ? {} : { payload })
    const after = (await bench.ended(id)).slice(seq)
    line.mend()
    return { id, call, living, after }
  }
  const made = [
    'tool_call_done pay',
    'invoked pay succeeded',
    'step.done succeeded',
    'judge stop all_done',
    'succeeded',
  ]
  const output = (after: Event[]) => ofType(after, 'run.tool.invoked')[0]?.tool_output_summary

  test('leaves a question: the run pauses with tool_outcome_unknown', async () => {
    const { id, line } = await cutOffInCall('once')
    const living = ownTool({ name: 'pay', effect: 'once' })
    await startWorker({ tools: [living] })
    const seq = await bench.waits(id)
    const events = await bench.events(id)
    expect(events[seq - 1]?.payload.value).toMatchObject({ reason_code: 'tool_outcome_unknown' })
    expect(outline(events).slice(2, 5)).toEqual(['tool_call_start pay', 'stalled heartbeat_lost', 'resumed running'])
    expect(events[seq - 2]?.payload.value).toMatchObject({ decision_type: 'await_input', role: 'judge' })
    expect(living.calls).toEqual([])
    await bench.command(id, 'cancel')
    line.mend()
  })

  test('is made again when someone approves', async () => {
    const { id, call, living, after } = await answered('approve')
    expect(outline(after)).toEqual(['signal approve', ...made])
    expect(living.callsOf(id).map(identity)).toEqual([identity(call)])
    expect(output(after)).toMatchObject({ preview: '{"amount":5}' })
  })

  test('has the submitted payload as its result, and is not made', async () => {
    const { living, after } = await answered('submit_input', { receipt: 7 })
    expect(outline(after)).toEqual(['signal submit_input', ...made])
    expect(living.calls).toEqual([])
    expect(output(after)).toMatchObject({ preview: '{"receipt":7}' })
  })

  test('fails the run when someone rejects; a retry asks again', async () => {
    const { id, living, after } = await answered('reject')
    expect(outline(after)).toEqual(['signal reject', 'failed signal_rejected'])
    await bench.command(id, 'retry')
    const seq = await bench.waits(id, 2)
    expect((await bench.events(id))[seq - 1]?.payload.value).toMatchObject({ reason_code: 'tool_outcome_unknown' })
    expect(living.calls).toEqual([])
    await bench.command(id, 'cancel')
  })
})

test('a worker that lost its run without knowing can write nothing', async () => {
  const [zombie, heir] = [ownTool({ name: 'pay', held: true }), ownTool({ name: 'pay', held: true })]
  const line = await startLine(site.connection)
  const first = await startWorker({ tools: [zombie], connection: line.connection }, slowLease)
  const id = await bench.create(scripted([{ say: 'paid', tools: [{ name: 'pay' }] }, { say: 'more' }]))
  await zombie.called(id)
  const expired = `update runs set lease_until = clock_timestamp() - interval '1 second' where id = $1`
  await startWorker({ tools: [heir] })
  line.hold()
  await site.database.query({ text: expired, values: [fromWireId('run', id)] })
  await heir.called(id)
  const { length } = await bench.events(id)
  // It sends the result without knowing.
  zombie.release()
  line.release()
  running.splice(running.indexOf(first), 1)
  await first.stop()
  await line.close()
  expect(await bench.events(id)).toHaveLength(length)
  heir.release()
  expect(ofType(await bench.ended(id), 'run.tool.invoked')).toHaveLength(1)
})

test('a worker that cannot renew its lease in time gives the run up: lease_lost', async () => {
  const tool = ownTool({ name: 'pay', held: true })
  await startWorker({ tools: [tool] })
  const id = await bench.create(scripted([{ tools: [{ name: 'pay' }] }]))
  const call = await tool.called(id)
  const blocker = new Database({ connection: site.connection, maxConnections: 1, applicationName: 'runwright test' })
  await blocker.query({ text: 'begin' })
  await blocker.query({ text: 'select 1 from runs where id = $1 for update', values: [fromWireId('run', id)] })
  await call.aborted
  await blocker.query({ text: 'rollback' })
  await blocker.close()
  tool.release()
  expect(outline(await bench.ended(id)).slice(2)).toEqual([
    'tool_call_start pay',
    'stalled lease_lost',
    'resumed running',
    'tool_call_done pay',
    'invoked pay succeeded',
    'step.done succeeded',
    'judge stop all_done',
    'succeeded',
  ])
})

describe('a worker that shuts down', () => {
  test('lets the step under way end, and hands the run over: no event, no recovery', async () => {
    const tool = ownTool({ name: 'pay', effect: 'once', held: true })
    const first = await startWorker({ tools: [tool] }, slowLease)
    const id = await bench.create(scripted([{ say: 'a', tools: [{ name: 'pay' }] }, { say: 'b' }]))
    await tool.called(id)
    running.splice(running.indexOf(first), 1)
    const stopped = first.stop()
    await startWorker({ tools: [tool] }, slowLease)
    tool.release()
    await stopped
    const events = await bench.ended(id)
    expect(outline(events)).toEqual([
      'created',
      'started',
      'tool_call_start pay',
      'tool_call_done pay',
      'invoked pay succeeded',
      'step.done succeeded',
      'judge continue step_done',
      'step.done succeeded',
      'judge stop all_done',
      'succeeded',
    ])
    expect(tool.callsOf(id)).toHaveLength(1)
  })

  test('claims nothing more', async () => {
    const tool = ownTool({ name: 'pay', held: true })
    const first = await startWorker({ tools: [tool] }, slowLease)
    const busy = await bench.create(scripted([{ tools: [{ name: 'pay' }] }]))
    await tool.called(busy)
    running.splice(running.indexOf(first), 1)
    const stopped = first.stop()
    const id = await bench.create(scripted([{}]))
    tool.release()
    await stopped
    expect((await bench.acme.run(id)).status).toBe('queued')
    await bench.command(id, 'cancel')
  })

  test('leaves waits as they are: a signal is taken while there is no worker, and the next one goes on', async () => {
    const first = await startWorker({}, slowLease)
    const id = await bench.create(scripted([thenStep('await_input', { say: 'a' }), { say: 'b' }]))
    const seq = await bench.waits(id)
    running.splice(running.indexOf(first), 1)
    await first.stop()
    expect((await bench.signal(id, 'approve')).status).toBe(200)
    expect((await bench.acme.run(id)).status).toBe('running')
    await startWorker({}, slowLease)
    const after = (await bench.ended(id)).slice(seq)
    expect(outline(after)).toEqual(['signal approve', 'step.done succeeded', 'judge stop all_done', 'succeeded'])
  })
})

test('two workers share a queue: every run is executed once', async () => {
  await Promise.all([startWorker({}, slowLease), startWorker({}, slowLease)])
  const ids = await Promise.all(Array.from({ length: 40 }, () => bench.create(scripted([{ say: 'a' }, { say: 'b' }]))))
  const all = await Promise.all(ids.map((id) => bench.ended(id)))
  const course = ['step.done succeeded', 'judge continue step_done', 'step.done succeeded', 'judge stop all_done']
  for (const events of all) expect(outline(events)).toEqual(['created', 'started', ...course, 'succeeded'])
})

test('a stream of a list hears of runs that another process creates and changes, before its regular check', async () => {
  const second = await site.start({}, { worker: false })
  running.push(second)
  const [here, there] = [bench.service, second].map(({ url, key }) => new Caller(url, key)) as [Caller, Caller]
  const stream = await here.stream('/v1/runs/stream?workspace_id=elsewhere')
  await stream.until(({ text }) => text.includes('runs.page'))
  const { id } = await there.newRun({ workspace_id: 'elsewhere' })
  await stream.until(({ text }) => text.includes(`"put":[{"id":"${id}"`), 4_000)
  await there.post(`/v1/runs/${id}/cancel`)
  await stream.until(({ text }) => text.includes('"status":"cancelled"'), 4_000)
  stream.close()
})

describe('with the worker in another process and leases of 30 s', () => {
  test('a cancel tells it to abort its call within a second', async () => {
    const tool = ownTool({ name: 'pay', held: true })
    await startWorker({ tools: [tool] }, slowLease)
    const id = await bench.create(scripted([{ tools: [{ name: 'pay' }] }]))
    const call = await tool.called(id)
    const sent = performance.now()
    await bench.command(id, 'cancel')
    try {
      expect((await call.aborted) - sent).toBeLessThan(1_000)
    } finally {
      tool.release()
    }
  })

  test('a run is started, and goes on after a signal, without waiting for a poll', async () => {
    await startWorker({}, slowLease)
    const id = await bench.create(planned([{ await_input: {} }]))
    const seq = await bench.waits(id)
    const sent = performance.now()
    await bench.signal(id, 'approve')
    await bench.ended(id)
    expect(performance.now() - sent).toBeLessThan(700)
    expect(seq).toBe(4)
  })
})
