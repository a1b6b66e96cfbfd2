import { randomBytes, randomUUID } from 'node:crypto'
import type { RunClass } from '@runwright/contract'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshDatabase } from '../../../test/support/database.ts'
import { newRun } from '../../../test/support/new-run.ts'
import type { Database } from '../postgres/database.ts'
import { findEvents } from '../runs/events.ts'
import { SealingKeys } from '../sealed/sealing-keys.ts'
import { type Claim, type Holding, RunClaimer } from './run-claimer.ts'
import { RunCreator } from './run-creator.ts'
import type { Committed } from './run-log.ts'

let database: Database
let creator: RunCreator
let claimer: RunClaimer
beforeAll(async () => {
  const fresh = await freshDatabase()
  database = fresh.database
  creator = new RunCreator(database, () => undefined)
  claimer = newClaimer()
  return fresh.drop
})
beforeEach(async () => {
  await database.query({ text: 'truncate runs, run_inputs, event_rows' })
})

interface ClaimerOptions {
  readonly readable?: number
  readonly onCommitted?: (committed: readonly Committed[]) => void
}

function newClaimer({ onCommitted = () => undefined, ...options }: ClaimerOptions = {}): RunClaimer {
  const keys = new SealingKeys(database, { encryptionKey: randomBytes(32) })
  return new RunClaimer(database, onCommitted, { workerId: randomUUID(), leaseMs: 60_000, keys, ...options })
}

const newClaimerWith = (readable: number) => () => newClaimer({ readable })

const queue = (customerId: string, count = 1, runClass: RunClass = 'default') =>
  Promise.all(Array.from({ length: count }, () => creator.create(newRun({ customerId, runClass }))))

const lane = (slots: number, afterCustomer = '', runClass: RunClass = 'default') => ({
  runClass,
  slots,
  afterCustomer,
})
const holds = (customerId: string, count: number): Holding => ({
  customerId,
  inLane: { short: count, default: count, long: count },
})

/** How many runs of each customer were claimed. */
function countOf({ runs }: Claim): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { customerId } of runs) counts[customerId] = (counts[customerId] ?? 0) + 1
  return counts
}

test('a claim reads the routing from the first event', async () => {
  const createdPayload = '{"request_id":"req_test","routing":{"first_role":"worker"}}'
  await creator.create(newRun({ createdPayload }))
  const { runs } = await claimer.claim([lane(2)], 2)
  expect(runs.map(({ routing }) => routing)).toEqual([{ first_role: 'worker' }])
})

describe('what a claim announces', () => {
  const announced: Committed[] = []
  const stored = (id: string) => findEvents(database, { customerId: 'acme', id }, { after: 0, limit: 200 })
  const claimed = async () => {
    announced.length = 0
    const { runs } = await newClaimer({ onCommitted: (all) => announced.push(...all) }).claim([lane(1)], 1)
    return runs[0]?.id ?? ''
  }
  const end = (state: string) =>
    database.query({
      text: 'update runs set state = $1, ready_at = now(), worker_id = null, lease_until = null',
      values: [state],
    })

  test.each([
    ['queued', 'run.worker.started'],
    ['stalled', 'run.resumed'],
  ])('of a run that was %s is the event that is stored', async (state, type) => {
    await queue('acme')
    if (state !== 'queued') await end(state)
    const id = await claimed()
    expect(announced).toMatchObject([
      { customerId: 'acme', runId: id, state: 'running', claimable: false, events: [{ type }] },
    ])
    expect(announced[0]?.events).toEqual((await stored(id))?.slice(-1))
  })

  test('of a run whose worker was lost is no event', async () => {
    await queue('acme')
    await claimed()
    await end('running')
    await claimed()
    expect(announced).toMatchObject([{ state: 'running', events: [] }])
  })
})

test('a claimed run names its worker, as its row does', async () => {
  await queue('a')
  const { runs } = await claimer.claim([lane(1)], 1)
  const rows = await database.query<{ worker_id: string }>({ text: 'select worker_id from runs' })
  expect(runs.map(({ workerId }) => workerId)).toEqual(rows.map((row) => row.worker_id))
})

describe('a claim', () => {
  test('divides the slots equally', async () => {
    await Promise.all([queue('a', 9), queue('b', 9), queue('c', 9)])
    expect(countOf(await claimer.claim([lane(6)], 6))).toEqual({ a: 2, b: 2, c: 2 })
  })

  test('divides them so wherever the turn is: no customer is visited twice', async () => {
    await Promise.all([queue('a', 9), queue('b', 9), queue('c', 9)])
    for (const after of ['a', 'b', 'c']) {
      expect(countOf(await claimer.claim([lane(6, after)], 6))).toEqual({ a: 2, b: 2, c: 2 })
    }
  })

  test('gives a free slot to the customer that holds the fewest, wherever the turn is', async () => {
    await Promise.all([queue('a', 9), queue('b', 9), queue('c', 9)])
    for (const after of ['', 'a', 'b', 'c']) {
      const held = [holds('a', 4), holds('c', 4)]
      expect(countOf(await claimer.claim([lane(1, after)], 1, held))).toEqual({ b: 1 })
    }
  })

  test('brings customers to the same number of slots before it divides the rest', async () => {
    await Promise.all([queue('a', 9), queue('b', 9), queue('c', 9)])
    const held = [holds('a', 5), holds('b', 1)]
    expect(countOf(await claimer.claim([lane(5)], 5, held))).toEqual({ b: 2, c: 3 })
  })

  test('serves customers that hold the same number in turn, and the first ones after the last', async () => {
    await Promise.all([queue('a', 9), queue('b', 9), queue('c', 9)])
    const order: string[] = []
    let after = ''
    for (let n = 0; n < 5; n += 1) {
      const claim = await claimer.claim([lane(1, after)], 1)
      after = claim.lanes.get('default')?.lastCustomer ?? ''
      order.push(...Object.keys(countOf(claim)))
    }
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b'])
  })

  test('prefers, over all lanes, the customer that holds the fewest slots', async () => {
    await Promise.all([queue('a', 9, 'short'), queue('b', 1, 'long')])
    const lanes = [lane(1, '', 'short'), lane(1, '', 'long')]
    expect(countOf(await claimer.claim(lanes, 1, [holds('a', 7)]))).toEqual({ b: 1 })
  })

  test('counts in a lane only the slots that count against the limit of the lane', async () => {
    await Promise.all([queue('a', 9, 'long'), queue('b', 9, 'long')])
    const held: Holding[] = [
      { customerId: 'a', inLane: { short: 3, default: 3, long: 3 } },
      { customerId: 'b', inLane: { short: 8, default: 0, long: 0 } },
    ]
    expect(countOf(await claimer.claim([lane(1, '', 'long')], 4, held))).toEqual({ b: 1 })
  })

  test('never takes more than the slots of a lane, though the shares are rounded up', async () => {
    await Promise.all(['a', 'b', 'c'].map((customer) => queue(customer, 9, 'long')))
    expect((await claimer.claim([lane(4, '', 'long')], 9)).runs).toHaveLength(4)
  })

  test('tells when a customer may have more runs than its share', async () => {
    await Promise.all([queue('a', 9), queue('b', 1)])
    const first = await claimer.claim([lane(8)], 8)
    expect([countOf(first), first.lanes.get('default')?.hasMore]).toEqual([{ a: 4, b: 1 }, true])
    const second = await claimer.claim([lane(8)], 8)
    expect([countOf(second), second.lanes.get('default')?.hasMore]).toEqual([{ a: 5 }, false])
  })

  test('of few runs of several customers needs no second one', async () => {
    await Promise.all([queue('a', 2), queue('b', 1)])
    const claim = await claimer.claim([lane(8)], 8)
    expect([countOf(claim), claim.lanes.get('default')?.hasMore]).toEqual([{ a: 2, b: 1 }, false])
  })

  test('of more customers than it visits tells that there are more, and the next one goes on behind them', async () => {
    const customers = Array.from({ length: 40 }, (_, n) => `c${n + 10}`)
    await Promise.all(customers.map((customer) => queue(customer)))
    const first = await claimer.claim([lane(64)], 64)
    expect(first.lanes.get('default')).toEqual({ lastCustomer: 'c41', hasMore: true })
    const second = await claimer.claim([lane(32, 'c41')], 32)
    expect(second.runs.map(({ customerId }) => customerId).toSorted()).toEqual(customers.slice(32))
  })

  test('takes the run of the next customer while another process claims that of the first', async () => {
    await Promise.all([queue('a', 1), queue('b', 1)])
    await database.withConnection(async (client) => {
      await client.query('begin')
      await client.query(`select from runs where customer_id = 'a' for update`)
      expect(countOf(await newClaimer().claim([lane(1)], 1))).toEqual({ b: 1 })
      await client.query('rollback')
    })
  })
})

describe('a run that a newer worker has had', () => {
  const newer = newClaimerWith(2)
  const older = newClaimerWith(1)
  const giveBack = () =>
    database.query({ text: 'update runs set ready_at = created_at, worker_id = null, lease_until = null' })

  test('is not claimed by an older one, which serves the customers behind it', async () => {
    await queue('a', 3)
    await newer().claim([lane(3)], 3)
    await giveBack()
    await queue('b')
    expect(await older().findWaiting([lane(1)])).toEqual([{ runClass: 'default', customerId: 'b', runs: 1 }])
    expect(countOf(await older().claim([lane(1)], 1))).toEqual({ b: 1 })
    expect(countOf(await older().claim([lane(3)], 3))).toEqual({})
    expect(countOf(await newer().claim([lane(3)], 3))).toEqual({ a: 3 })
  })

  test('is skipped among the runs of its customer', async () => {
    await queue('a')
    await newer().claim([lane(1)], 1)
    await giveBack()
    await queue('a', 2)
    expect(await older().findWaiting([lane(5)])).toEqual([{ runClass: 'default', customerId: 'a', runs: 2 }])
    expect(countOf(await older().claim([lane(5)], 5))).toEqual({ a: 2 })
  })

  test('is claimed by workers that are newer still', async () => {
    await queue('a')
    await older().claim([lane(1)], 1)
    await giveBack()
    expect(countOf(await newer().claim([lane(1)], 1))).toEqual({ a: 1 })
  })
})

describe('a look at who waits', () => {
  test('finds the customers with ready runs of these classes, up to an equal share, and claims nothing', async () => {
    await Promise.all([queue('a', 9), queue('b', 1), queue('c', 3, 'short')])
    const waiting = [
      { runClass: 'default', customerId: 'a', runs: 3 },
      { runClass: 'default', customerId: 'b', runs: 1 },
    ]
    expect(await claimer.findWaiting([lane(6)])).toEqual(waiting)
    expect(await claimer.findWaiting([lane(6)])).toEqual(waiting)
  })

  test('does not find runs that become ready later', async () => {
    await queue('a', 2)
    await database.query({ text: `update runs set ready_at = now() + interval '1 hour'` })
    expect(await claimer.findWaiting([lane(6)])).toEqual([])
  })
})
