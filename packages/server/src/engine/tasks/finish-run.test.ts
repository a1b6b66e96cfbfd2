import { describe, expect, test } from 'vitest'
import { fakeExecution } from '../../../test/support/fake-execution.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import { endOverCeiling, finishRun } from './finish-run.ts'
import { runOver } from './settled.ts'

describe('a run with nothing left to do', () => {
  const done = (stepId: string, order: number, part: object = {}) =>
    journalEntry('done', `0/${stepId}`, {
      ...{ stepId, kind: 'agent', content: `${stepId} done`, output: null, redacted: false, order, ...part },
    } as never)

  test('succeeds with the result of the step that ended last', async () => {
    const plan = {
      steps: [
        { id: 'a', instruction: 'x' },
        { id: 'b', instruction: 'y', depends_on: [] },
      ],
    }
    const journal = [done('b', 1, { output: { price: 391 }, redacted: true }), done('a', 0)]
    const { context, log } = fakeExecution({ plan, journal })
    expect(await finishRun(context)).toBe(runOver)
    expect(log.changes).toMatchObject([
      {
        trigger: 'succeed',
        result: { redacted: true, value: { content: 'b done', output: { price: 391 } } },
        memory: { kind: 'episode' },
      },
    ])
    expect(log.decisions).toEqual(['judge stop all_done'])
    expect(log.events.at(-1)?.type).toBe('run.worker.succeeded')
  })

  test('the planner’s text is not a result', async () => {
    const { context, log } = fakeExecution({ journal: [done('#planner', 0, { kind: 'planner' })] })
    await finishRun(context)
    expect(log.changes[0]?.result).toEqual({ redacted: false, value: { content: '', output: null } })
  })
})

test('an exhausted budget ends the run, and the event has the numbers of the budget', async () => {
  const { context, log } = fakeExecution({ run: { tokenLimit: 100, tokens: 3 } })
  const budget = { currentValue: 5_000, threshold: 4_000 }
  expect(await endOverCeiling(context, { usage: [], budget })).toBe(runOver)
  expect(log.events).toMatchObject([{ payload: { limitType: 'cost_ceiling', ...budget } }])
})
