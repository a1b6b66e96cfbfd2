// The same seed gives the same faults, the same load and the same tasks.
import { expect, test } from 'vitest'
import { faultAt, type Scenario, scenarios } from './faults/schedule.ts'
import { courseAt } from './load/courses.ts'
import { answerShopTask, instructionOf } from './shop/shop-model.ts'
import { taskAt } from './shop/shop-tasks.ts'

const numbers = Array.from({ length: 200 }, (_, n) => n)
const faultsOf = (scenario: Scenario, seed: number) => numbers.map((n) => faultAt(scenario, seed, n, 5))

test.each(Object.keys(scenarios) as Scenario[])('a seed decides the faults of %s', (scenario) => {
  expect(faultsOf(scenario, 7)).toEqual(faultsOf(scenario, 7))
  if (scenario !== 'none') expect(faultsOf(scenario, 7)).not.toEqual(faultsOf(scenario, 8))
})

test('the faults of all hit every process, and every kind comes', () => {
  const faults = faultsOf('all', 3)
  expect(new Set(faults.map((fault) => fault?.target)).size).toBe(5)
  expect(new Set(faults.map((fault) => fault?.kind)).size).toBe(new Set(scenarios.all).size)
})

test('a seed decides the load', () => {
  expect(numbers.map((n) => courseAt(7, n))).toEqual(numbers.map((n) => courseAt(7, n)))
  expect(new Set(numbers.map((n) => courseAt(7, n).kind)).size).toBe(5)
})

test('the orders of 200 tasks differ, and so do those of the next lap', () => {
  expect(new Set([...numbers, 200, 201].map((n) => taskAt(n).id)).size).toBe(202)
})

const task = taskAt(0)

/** The conversation after these results of `reserve`, `charge` and `ship`. */
const answerAfter = (results: readonly string[]) =>
  answerShopTask({
    messages: [
      { from: 'user', text: instructionOf(task, 0), toolCalls: [], toolResults: [] },
      ...results.flatMap((text, n) => {
        const { name, ...args } = task.stages[n]?.[0] ?? { name: 'none' }
        return [
          { from: 'assistant', text: '', toolCalls: [{ id: `c${n}`, name, args }], toolResults: [] },
          { from: 'tool', text: '', toolCalls: [], toolResults: [{ id: `c${n}`, name, text, failed: undefined }] },
        ]
      }),
    ],
  } as never)
const receipt = (name: string) => `{"receipt":"order-T000L0-${name}-1"}`

test('the scripted model goes on from the results that it is shown, and needs the receipt to ship', () => {
  expect(answerAfter([])).toMatchObject({ toolCalls: [{ name: 'reserve' }] })
  expect(answerAfter([receipt('reserve')])).toMatchObject({ toolCalls: [{ name: 'charge', args: { cents: 500 } }] })
  const paid = [receipt('reserve'), receipt('charge')]
  const shipped = { name: 'ship', args: { payment: 'order-T000L0-charge-1' } }
  expect(answerAfter(paid)).toMatchObject({ toolCalls: [shipped] })
  expect(answerAfter([...paid, receipt('ship')])).toMatchObject({ text: 'Task T000L0 is done.' })
})

test('the scripted model makes a call again that failed', () => {
  expect(answerAfter([receipt('reserve'), 'It was not made.'])).toMatchObject({ toolCalls: [{ name: 'charge' }] })
})
