// Budgets end to end: spent ones end a run when it is taken up or about to call a model; others don't.
import type { BudgetResult, Event, PutBudget } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, scripted, startBench } from '../support/engine.ts'
import { jsonType } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'

let bench: Bench
let number = 0
let label = ''
beforeAll(async () => {
  bench = await startBench()
})
afterAll(async () => {
  await expectInvariants(bench.service.database)
  await bench.stop()
})
beforeEach(() => {
  number += 1
  label = `label ${number}`
})

const limits = (events: Event[]) => ofType(events, 'run.limit_exceeded')
const over = (currentValue: number, threshold: number) => ({
  limitType: 'cost_ceiling',
  currentValue,
  threshold,
  unit: 'tokens',
})
const step = ['step.done succeeded', 'judge continue step_done']
const pathOf = (kind: 'workspaces' | 'subjects') => `/v1/budgets/${kind}/${encodeURIComponent(label)}`

/** In force with the next run, without a wait. */
async function put(path: string, body: PutBudget): Promise<void> {
  expect((await bench.acme.send({ method: 'PUT', path, body, headers: jsonType })).status).toBe(200)
}

const inWorkspace = (...tokens: number[]) =>
  scripted(
    tokens.map((one) => ({ tokens: one })),
    { workspace_id: label },
  )

describe('a run', () => {
  test('ends before the call for which nothing is left', async () => {
    await put(pathOf('workspaces'), { period: 'day', tokens: 100 })
    const { id, events } = await bench.play(inWorkspace(60, 60, 1))
    expect(outline(events)).toEqual(['created', 'started', ...step, ...step, 'limit cost_ceiling'])
    expect(limits(events)).toEqual([over(120, 100)])
    expect((await bench.acme.run(id)).status).toBe('failed')
    const { budget } = (await bench.acme.get(pathOf('workspaces'))).json<BudgetResult>()
    expect(budget).toMatchObject({ used: 120, remaining: 0 })
  })

  test('ends when it is taken up once others have spent the budget, whatever it would do', async () => {
    await put(pathOf('subjects'), { period: 'month', tokens: 50 })
    const mine = { subject_id: label }
    await bench.play(scripted([{ tokens: 50 }], mine))
    const { events } = await bench.play(planned([{ tool: 'calculator', input: { expression: '1' } }], [], mine))
    expect(outline(events)).toEqual(['created', 'started', 'limit cost_ceiling'])
    expect(limits(events)).toEqual([over(50, 50)])
  })

  test('whose last call crosses the budget succeeds', async () => {
    await put(pathOf('workspaces'), { period: 'day', tokens: 10 })
    const { events } = await bench.play(inWorkspace(9, 5_000))
    expect(events.at(-1)?.type).toBe('run.worker.succeeded')
  })

  test('of another label is not touched', async () => {
    await put(pathOf('workspaces'), { period: 'day', tokens: 0 })
    const { events } = await bench.play(scripted([{ tokens: 5 }], { workspace_id: `other ${label}` }))
    expect(events.at(-1)?.type).toBe('run.worker.succeeded')
  })

  test('goes on after a retry once the budget is raised', async () => {
    await put(pathOf('workspaces'), { period: 'day', tokens: 10 })
    const { id, events } = await bench.play(inWorkspace(10, 10))
    expect(limits(events)).toEqual([over(10, 10)])
    await put(pathOf('workspaces'), { period: 'day', tokens: 1_000 })
    await bench.command(id, 'retry')
    expect((await bench.ended(id, 2)).at(-1)?.type).toBe('run.worker.succeeded')
  })
})

test('a budget of the customer holds for all of its runs', async () => {
  await put('/v1/budgets/customer', { period: 'day', tokens: 0 })
  expect(limits((await bench.play(scripted([{ tokens: 1 }]))).events)).toHaveLength(1)
  await bench.acme.send({ method: 'DELETE', path: '/v1/budgets/customer' })
  expect(limits((await bench.play(scripted([{ tokens: 1 }]))).events)).toEqual([])
})
