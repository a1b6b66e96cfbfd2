import { expect, test } from 'vitest'
import { type Outcome, tryBatch } from './try-all.mjs'

interface Behavior {
  /** Mutants that a test notices. */
  readonly red?: readonly number[]
  /** After them, the test is always red. */
  readonly damaging?: readonly number[]
  /** They end the process. */
  readonly deadly?: readonly number[]
}

const runner = ({ red = [], damaging = [], deadly = [] }: Behavior) => ({
  async try(trials: readonly { name: string; id?: number; tests: string[] }[]) {
    const answers = new Map<string, { red: number[]; message: string }>()
    let isDamaged = false
    for (const { name, id = 0 } of trials) {
      if (deadly.includes(id)) return answers
      isDamaged ||= damaging.includes(id)
      answers.set(name, { red: isDamaged || red.includes(id) ? [0] : [], message: 'expected 1 to be 2' })
    }
    return answers
  },
})

async function outcomesOf(behavior: Behavior): Promise<Record<number, Outcome>> {
  const outcomes: Record<number, Outcome> = {}
  const batch = [1, 2, 3].map((id) => ({ id, tests: ['a.test.ts'] }))
  await tryBatch(runner(behavior), batch, (id, outcome) => {
    outcomes[id] = outcome
  })
  return outcomes
}

test('a mutant is noticed when a test is red', async () => {
  expect(await outcomesOf({ red: [2] })).toEqual({
    1: { isNoticed: false, message: '' },
    2: { isNoticed: true, message: 'expected 1 to be 2' },
    3: { isNoticed: false, message: '' },
  })
})

test('a test that stays red without the mutant has noticed nothing, and those after it are tried again', async () => {
  expect(await outcomesOf({ damaging: [1], red: [3] })).toMatchObject({
    1: { isNoticed: false, message: 'unclear, red without it, too: expected 1 to be 2' },
    2: { isNoticed: false },
    3: { isNoticed: true },
  })
})

test('another test that is red without mutants takes nothing from what one has noticed', async () => {
  const outcomes: Outcome[] = []
  const answers = new Map([
    ['1', { red: [1], message: 'seen by b' }],
    ['as it is', { red: [0], message: 'a is always red' }],
  ])
  const batch = [{ id: 1, tests: ['a.test.ts', 'b.test.ts'] }]
  await tryBatch({ try: async () => answers }, batch, (_, outcome) => outcomes.push(outcome))
  expect(outcomes).toEqual([{ isNoticed: true, message: 'seen by b' }])
})

test('a mutant that ends the process of the tests is noticed, and no other for it', async () => {
  expect(await outcomesOf({ deadly: [2] })).toMatchObject({
    1: { isNoticed: false },
    2: { isNoticed: true },
    3: { isNoticed: false },
  })
})
