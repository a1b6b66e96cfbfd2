// Schemas that are small as text and large once compiled, or that take long to check: they hold neither the process nor
// its neighbours, and the run that brought them ends by name.
import type { ErrorBody, Plan } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SchemaLanes } from '../../src/runtime/schemas/schema-lanes.ts'
import { SchemaThreads } from '../../src/runtime/schemas/schema-threads.ts'
import { freshDatabase } from '../support/database.ts'
import { Bench, outline, startBench } from '../support/engine.ts'
import { Caller, emptyRun } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { cpuOf } from '../support/thread-cpu.ts'

const list = <Item>(length: number, item: (index: number) => Item) => Array.from({ length }, (_, index) => item(index))
const withSchema = (output_schema: object, more: object = {}) => ({ input: { output_schema, ...more }, metadata: {} })
const withPlan = (schemas: readonly object[]): { plan: Plan } & typeof emptyRun => ({
  ...emptyRun,
  plan: {
    version: 'v2',
    steps: schemas.map((output_schema, n) => ({ id: `s${n}`, instruction: 'Do it', output_schema })),
  } as Plan,
})

/** 3.6 kB of text that compile to 800,000 instructions. */
const large = 'a{0,1000}'.repeat(400)
/** As many parts as a schema may have. Each one differs, so that none is known. */
const full = (name: string) => ({ anyOf: list(499, (n) => ({ type: 'string', minLength: n, const: `${name} ${n}` })) })
let names = 0
/** As many parts as a plan may have. */
const fullPlan = () => {
  names += 1
  return withPlan(list(10, (n) => full(`plan ${names} ${n}`)))
}

describe('a create', () => {
  let service: Service
  let attacker: Caller
  let neighbour: Caller
  /** What a create without a schema takes on this machine. */
  let plainMs: number

  beforeAll(async () => {
    service = await startService({ RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0' }, { worker: false })
    attacker = new Caller(service.url, service.key)
    neighbour = new Caller(service.url, service.otherKey)
    const creates = async (count: number) => {
      for (const _ of list(count, () => undefined)) await attacker.create(emptyRun)
    }
    await creates(20)
    // The first schema starts the thread.
    expect((await attacker.create(withSchema({ type: 'string' }))).status).toBe(201)
    plainMs = (await cpuOf(() => creates(50))) / 50
  })
  afterAll(() => service.stop())

  test.each([
    [
      'a large pattern',
      withSchema({ properties: { code: { pattern: large } } }),
      'input.output_schema.properties.code',
    ],
    [
      'eight large patterns',
      withSchema({ anyOf: list(8, (n) => ({ pattern: `${large}${n}` })) }),
      'input.output_schema.anyOf[0].pattern is too large',
    ],
    [
      'nested repetitions',
      withSchema({ pattern: '(?:(?:(?:(?:a{99}){99}){99}){99}){99}' }),
      'input.output_schema.pattern is too large',
    ],
    [
      'classes of many characters, in any case',
      withSchema({ pattern: `(?i)${'[B-\\x{1E000}]'.repeat(2_000)}` }),
      'input.output_schema.pattern is too large',
    ],
    [
      'a pattern in a plan',
      withPlan([{}, { patternProperties: { [large]: {} } }]),
      'plan.steps[1] ("s1"): output_schema.patternProperties',
    ],
    [
      'definitions that use each other twice',
      withSchema({
        $ref: '#/$defs/d25',
        $defs: Object.fromEntries(
          list(26, (n) => [`d${n}`, n === 0 ? {} : { anyOf: Array(2).fill({ $ref: `#/$defs/d${n - 1}` }) }]),
        ),
      }),
      'input.output_schema has more than 500 parts',
    ],
    [
      'a long value that is used many times',
      withSchema({ anyOf: Array(400).fill({ $ref: '#/$defs/a' }), $defs: { a: { enum: ['x'.repeat(20_000)] } } }),
      'input.output_schema is longer than 131072 characters',
    ],
  ])('with %s is refused by name, at the price of a few others', async (_, body, message) => {
    const cpuMs = await cpuOf(async () => {
      const reply = await attacker.create(body)
      expect([reply.status, reply.json<ErrorBody>().message]).toEqual([400, expect.stringContaining(message)])
    })
    expect(cpuMs).toBeLessThan(plainMs * 10 + 30)
  })

  test('with as many parts as are allowed is compiled elsewhere', async () => {
    const cpuMs = await cpuOf(async () => expect((await attacker.create(fullPlan())).status).toBe(201))
    // The text itself has 300 kB. On the event loop, to compile it took about a second.
    expect(cpuMs).toBeLessThan(plainMs * 10 + 150)
  })

  test('of a neighbour is answered while many of them are compiled, with and without a schema', async () => {
    const order: string[] = []
    const attacks = list(3, async () => {
      const { status } = await attacker.create(fullPlan())
      order.push('attack')
      return status
    })
    const served = list(6, async (n) => {
      const body = n % 2 === 0 ? emptyRun : withSchema({ type: 'object', title: `neighbour ${n}`, minProperties: n })
      const { status } = await neighbour.create(body)
      order.push('neighbour')
      return status
    })
    expect(await Promise.all(served)).toEqual(list(6, () => 201))
    expect(order).not.toContain('attack')
    expect(await Promise.all(attacks)).toEqual(list(3, () => 201))
  })
})

const lanes = (options: Partial<ConstructorParameters<typeof SchemaThreads>[0]>): SchemaLanes => {
  const threads = () => new SchemaThreads({ maxThreads: 1, maxWaiting: { perCustomer: 100, total: 1_000 }, ...options })
  const [requests, runs] = [threads(), threads()]
  return { requests, runs, stop: async () => void (await Promise.all([requests.stop(), runs.stop()])) }
}

test('creates above the limits of the queue are told to try again', async () => {
  const schemas = lanes({ maxWaiting: { perCustomer: 1, total: 10 } })
  const service = await startService({}, { worker: false, schemas })
  try {
    const caller = new Caller(service.url, service.key)
    const replies = await Promise.all(list(6, (n) => caller.create(withSchema(full(`queue ${n}`)))))
    const refused = replies.filter(({ status }) => status !== 201)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, headers, ...reply } of refused) {
      expect([status, headers['retry-after']]).toEqual([429, '1'])
      expect(reply.json<ErrorBody>()).toMatchObject({ reason_code: 'RATE_LIMITED' })
    }
    expect((await caller.create(withSchema({ type: 'string' }))).status).toBe(201)
  } finally {
    await service.stop()
  }
})

describe('a run', () => {
  const played = (output: unknown, output_schema: object) => ({
    routing_hint: 'skip_planning',
    ...withSchema(output_schema, { sandbox: { steps: [{ output }] } }),
  })
  /** To check this takes a minute. */
  const slowSchema = { items: { anyOf: [...list(450, (n) => ({ type: 'string', minLength: n })), true] } }
  const slowOutput = list(100_000, (n) => n % 10)

  test('whose output is matched by the pattern of a hundred steps a character ends at once', async () => {
    const bench = await startBench()
    try {
      await bench.play(played('x', { type: 'string' }))
      const plainMs = await cpuOf(() => bench.play(played('x'.repeat(4_000), { type: 'string' })))
      const cpuMs = await cpuOf(async () => {
        const { events } = await bench.play(played('x'.repeat(4_000), { pattern: '(?:x?){500}[yz]$' }))
        expect(outline(events).at(-1)).toBe('failed output_invalid')
      })
      expect(cpuMs).toBeLessThan(plainMs * 3 + 50)
    } finally {
      await bench.stop()
    }
  })

  test('whose output takes too long to check fails by name, and the next one is executed', async () => {
    const bench = await startBench()
    try {
      const { id, events } = await bench.play(played(slowOutput, slowSchema))
      expect(outline(events).at(-1)).toBe('failed output_check_limit')
      expect(await bench.include(id, 'failure')).toMatchObject({
        reason_code: 'output_check_limit',
        message: expect.stringContaining(
          'cannot be checked against the output schema: this takes longer than 5 seconds',
        ),
      })
      const next = await bench.play(played({ a: 1 }, { type: 'object' }))
      expect(outline(next.events).at(-1)).toBe('succeeded')
    } finally {
      await bench.stop()
    }
  })

  test('of another customer is executed while outputs of one take too long to check', async () => {
    const bench = await startBench()
    try {
      // The first one starts the threads.
      await bench.play(played({ a: 1 }, { type: 'object' }))
      const attacks = await Promise.all(list(4, () => bench.create(played(slowOutput, slowSchema))))
      const id = await bench.create(played({ a: 1 }, { type: 'object', minProperties: 1 }), bench.other)
      await untilSucceeded(bench, id)
      for (const attack of attacks) expect((await bench.acme.run(attack)).status).toMatch(/queued|running/)
    } finally {
      await bench.stop()
    }
  })

  async function untilSucceeded(bench: Bench, id: string): Promise<void> {
    const stream = await bench.other.stream(`/v1/runs/${id}/events/stream`)
    try {
      await stream.until(({ events }) => events.some(({ type }) => type === 'run.worker.succeeded'), 20_000)
    } finally {
      stream.close()
    }
  }

  test('whose stored schema is too large now fails by name, and stays so after a restart', async () => {
    const fresh = await freshDatabase()
    const { drop } = fresh
    const host = { ...fresh, drop: async () => undefined }
    const secrets = { encryptionKey: Buffer.alloc(32, 1), keyPepper: Buffer.alloc(32, 2) }
    const api = await startBench({}, { host, secrets, worker: false })
    const { key, otherKey } = api.service
    const restart = async () => {
      const { service } = await startBench({}, { host, secrets })
      return new Bench({ ...service, key, otherKey })
    }
    try {
      const id = await api.create(played({ a: 1 }, { type: 'object' }))
      const stored = JSON.stringify({ sandbox: { steps: [{ output: 'a' }] }, output_schema: { pattern: large } })
      await fresh.database.run({ text: 'update run_inputs set input = $1::json', values: [stored] })
      await api.service.stop()
      const bench = await restart()
      const cpuMs = await cpuOf(async () => {
        expect(outline(await bench.ended(id)).at(-1)).toBe('failed output_schema_unusable')
      })
      expect(cpuMs).toBeLessThan(1_000)
      expect(await bench.include(id, 'failure')).toMatchObject({
        message: expect.stringContaining('output_schema.pattern is too large'),
      })
      await bench.service.stop()
      const again = await restart()
      expect((await again.acme.run(id)).status).toBe('failed')
      await again.service.stop()
    } finally {
      await drop()
    }
  })
})
