import { type Run, RunwrightError } from '@runwright/client'
import { expect, test } from 'vitest'
import { type CancelResult, cancelRuns } from './cancel-runs.ts'

test('every run gets its own result, and a refusal does not stop the others', async () => {
  const results: CancelResult[] = []
  const cancel = async (id: string) => {
    if (id === 'run_2') throw new RunwrightError('The run has already succeeded.')
    return { id } as Run
  }
  await cancelRuns(['run_1', 'run_2', 'run_3'], cancel, (result) => results.push(result))
  expect(results.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
    { id: 'run_1', isCancelled: true, words: 'cancelled' },
    { id: 'run_2', isCancelled: false, words: 'The run has already succeeded.' },
    { id: 'run_3', isCancelled: true, words: 'cancelled' },
  ])
})

test('no more than four are cancelled at a time', async () => {
  let open = 0
  let most = 0
  const cancel = async (id: string) => {
    open += 1
    most = Math.max(most, open)
    await Promise.resolve()
    open -= 1
    return { id } as Run
  }
  const ids = Array.from({ length: 30 }, (_, n) => `run_${n}`)
  const done: string[] = []
  await cancelRuns(ids, cancel, ({ id }) => done.push(id))
  expect(done.toSorted()).toEqual(ids.toSorted())
  expect(most).toBe(4)
})
