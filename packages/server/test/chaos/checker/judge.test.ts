// Each rule about a whole trial turns red when it is broken: the faults that a defect of the service would leave.
import { expect, test } from 'vitest'
import type { Effect } from '../shop/shop-server.ts'
import { taskAt } from '../shop/shop-tasks.ts'
import { ShopWorld } from '../shop/shop-world.ts'
import {
  type FinalRun,
  judgeCalls,
  judgeCreates,
  judgeEnds,
  judgeHistories,
  judgeShop,
  judgeWebhooks,
  type KnownRun,
} from './judge.ts'

const known = (more: Partial<KnownRun> = {}): KnownRun => ({
  key: 'k1',
  kind: 'gate',
  task: undefined,
  acknowledged: new Set(['run_1']),
  history: { operations: [] },
  ...more,
})
const final = (more: Partial<FinalRun> = {}): FinalRun => ({
  id: 'run_1',
  key: 'k1',
  state: 'succeeded',
  log: [{ seq: 1, type: 'run.created', change: '1', payload: {} }],
  ...more,
})
const said = (violations: readonly { readonly what: string }[]) => violations.map(({ what }) => what)

/** Carries out all tasks as a service without defects would, then lets the defect change the log of effects. */
function effectsOf(numbers: readonly number[], change: (effects: Effect[]) => Effect[] = (effects) => effects) {
  const tasks = numbers.map(taskAt)
  const world = new ShopWorld()
  const effects = tasks.flatMap(({ stages }) =>
    stages.flat().map((action, n) => ({ key: `${action.order}-${n}`, action, receipt: world.apply(action), at: 0 })),
  )
  return { tasks, effects: change(effects) }
}

test('creates: once is right, also if it was not acknowledged or came from a schedule', () => {
  const unheard = known({ key: 'k2', acknowledged: new Set() })
  const runs = [final(), final({ id: 'run_2', key: 'k2' }), final({ id: 'run_3', key: 'sched_1:2026' })]
  expect(judgeCreates([known(), unheard], runs)).toEqual([])
})

test('creates: an ignored idempotency key makes two runs of one', () => {
  const both = known({ acknowledged: new Set(['run_1', 'run_2']) })
  expect(said(judgeCreates([both], [final(), final({ id: 'run_2' })]))).toEqual([
    'k1 made run_1 and run_2',
    'k1 was answered with run_1 and run_2',
  ])
})

test('creates: an acknowledged one that is not there, and one that nobody asked for', () => {
  expect(said(judgeCreates([known()], []))).toEqual(['run_1 was acknowledged for k1 and is not there'])
  expect(said(judgeCreates([], [final()]))).toEqual(['nobody asked for run_1 (k1)'])
})

test('ends: a run that failed without a reason, or has not ended', () => {
  expect(judgeEnds([known()], [final()])).toEqual([])
  expect(judgeEnds([known({ kind: 'cancel' })], [final({ state: 'cancelled' })])).toEqual([])
  const bad = [final({ state: 'failed' }), final({ id: 'run_2', state: 'stalled' })]
  expect(said(judgeEnds([known()], bad))).toEqual(['run_1 (k1) is failed', 'run_2 (k1) is stalled'])
})

test('histories: the story of the run is told', () => {
  const signal = { kind: 'signal', action: 'approve', awaitSeq: 2, key: 'a' } as const
  const operations = [
    { client: 'ann', ask: { kind: 'create', key: 'k1' } as const, start: 0, end: 1, answer: { kind: 'ok' } as const },
    { client: 'ann', ask: signal, start: 2, end: 3, answer: { kind: 'ok' } as const },
  ]
  const [violation, ...others] = judgeHistories([known({ history: { operations } })], [final()])
  expect(others).toEqual([])
  expect(violation?.what).toContain('run_1: answers have no place, after event 1\n  0.002–0.003 ann: signal')
  expect(violation?.story).toContain('   1 run.created')
})

test('calls: one with the same key twice, unless the service itself tells of it', () => {
  const { effects } = effectsOf([0])
  expect(judgeCalls(effects, 0)).toEqual([])
  const repeated = [...effects, ...effects.slice(1, 2)]
  expect(said(judgeCalls(repeated, 0))).toEqual([
    'order-T000L0-1: {"name":"charge","order":"order-T000L0","cents":500} at 0.000, at 0.000',
  ])
  expect(judgeCalls(repeated, 1)).toEqual([])
})

test('the shop: 200 tasks, each done right', () => {
  const { tasks, effects } = effectsOf(Array.from({ length: 200 }, (_, n) => n))
  expect(judgeShop(tasks, effects)).toEqual([])
})

test.each<[string, (effects: Effect[]) => Effect[], string]>([
  ['twice', (effects) => [...effects, ...effects.slice(2)], 'reserve sku-0, charge, ship, ship'],
  ['never', (effects) => effects.slice(0, 2), 'reserve sku-0, charge'],
  ['too early', ([a, b, c]) => [a, c, b] as Effect[], 'reserve sku-0, ship, charge'],
])('the shop: an effect %s', (_, change, done) => {
  const { tasks, effects } = effectsOf([0], change)
  expect(said(judgeShop(tasks, effects))).toEqual([`task T000L0: ${done}; right: reserve sku-0, charge, ship`])
})

test('the shop: other arguments show in the hash of the state', () => {
  const dearer = ([a, b, c]: Effect[]) =>
    [a, b && { ...b, action: { ...b.action, cents: 501 } }, c].filter((effect) => effect !== undefined)
  const { tasks, effects } = effectsOf([0], dearer)
  expect(said(judgeShop(tasks, effects))).toEqual(['the hash of its state is another one'])
})

test('webhooks: a message is lost, comes for nothing, or changes', () => {
  const types = ['run.created']
  expect(
    judgeWebhooks(
      types,
      [
        { id: 'run_1_1', body: 'a' },
        { id: 'run_1_1', body: 'a' },
      ],
      [final()],
    ),
  ).toEqual([])
  expect(said(judgeWebhooks(types, [], [final()]))).toEqual(['run_1_1 never came'])
  const messages = [
    { id: 'run_1_1', body: 'a' },
    { id: 'run_1_1', body: 'b' },
    { id: 'run_1_2', body: 'a' },
  ]
  expect(said(judgeWebhooks(types, messages, [final()]))).toEqual([
    'run_1_2 came for no event',
    'run_1_1 came with two bodies',
  ])
})
