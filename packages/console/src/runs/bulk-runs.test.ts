import { type Run, RunwrightError } from '@runwright/client'
import { expect, test } from 'vitest'
import { type BulkResult, workOnRuns } from './bulk-runs.ts'

test('every run gets its own result, and a refusal does not stop the others', async () => {
  const results: BulkResult[] = []
  const cancel = async (id: string) => {
    if (id === 'run_2') throw new RunwrightError('The run has already succeeded.')
    return { id } as Run
  }
  await workOnRuns(['run_1', 'run_2', 'run_3'], { send: cancel, done: 'cancelled' }, (result) => results.push(result))
  expect(results.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
    { id: 'run_1', isDone: true, words: 'cancelled' },
    { id: 'run_2', isDone: false, words: 'The run has already succeeded.' },
    { id: 'run_3', isDone: true, words: 'cancelled' },
  ])
})

test('no more than four are worked on at a time', async () => {
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
  await workOnRuns(ids, { send: cancel, done: 'cancelled' }, ({ id }) => done.push(id))
  expect(done.toSorted()).toEqual(ids.toSorted())
  expect(most).toBe(4)
})

test('once it is stopped, those on their way end, and the others are not done', async () => {
  const answers: (() => void)[] = []
  const cancel = () => new Promise<void>((resolve) => answers.push(resolve))
  const stopped = new AbortController()
  const results: BulkResult[] = []
  const ids = Array.from({ length: 7 }, (_, n) => `run_${n}`)
  const work = workOnRuns(ids, { send: cancel, done: 'cancelled', signal: stopped.signal }, (result) =>
    results.push(result),
  )
  stopped.abort()
  for (const answer of answers) answer()
  await work
  expect(answers).toHaveLength(4)
  expect(results.filter(({ isDone }) => isDone).map(({ id }) => id)).toEqual(ids.slice(0, 4))
  expect(results.filter(({ isDone }) => !isDone)).toEqual(
    ids.slice(4).map((id) => ({ id, isDone: false, words: 'not done' })),
  )
})
