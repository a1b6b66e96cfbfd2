import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fakeExecution } from '../../test/support/fake-execution.ts'
import type { Task } from '../domain/run/next-move.ts'
import { RunningTasks } from './running-tasks.ts'
import type { TaskEnd } from './tasks/task-end.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const [task] = fakeExecution().tasks() as readonly [Task]
const parked = (dueAtMs: number): TaskEnd => ({ kind: 'parked', task, dueAtMs })
const succeeded: TaskEnd = {
  kind: 'succeeded',
  task,
  content: '',
  output: null,
  redacted: false,
  rest: '',
  usage: [],
}

async function afterMicrotasks<T>(count: number, value: T): Promise<T> {
  for (let done = 0; done < count; done += 1) await undefined
  return value
}

const never = new Promise<never>(() => undefined)

test('a task counts until its end was taken', async () => {
  const tasks = new RunningTasks()
  tasks.start('a', Promise.resolve(parked(1)))
  await tasks.allEnded()
  expect([...tasks.keys]).toEqual(['a'])
  expect(await tasks.takeEnd(undefined)).toEqual(parked(1))
  expect(tasks.size).toBe(0)
})

test('of tasks that end in one turn of the event loop, those that succeeded come first', async () => {
  const tasks = new RunningTasks()
  tasks.start('a', Promise.reject(new Error('a failed')))
  tasks.start('b', Promise.resolve(parked(1)))
  tasks.start('c', afterMicrotasks(9, succeeded))
  expect(await tasks.takeEnd(undefined)).toBe(succeeded)
  await expect(tasks.takeEnd(undefined)).rejects.toThrow('a failed')
  expect(await tasks.takeEnd(undefined)).toEqual(parked(1))
})

test('waits for an end, but no longer than it may', async () => {
  const tasks = new RunningTasks()
  let resolve: (end: TaskEnd) => void = () => undefined
  tasks.start('a', new Promise((end) => (resolve = end)))
  const late = tasks.takeEnd(500)
  vi.advanceTimersByTime(500)
  expect(await late).toBeUndefined()
  expect(tasks.size).toBe(1)
  const inTime = tasks.takeEnd(500)
  resolve(parked(1))
  expect(await inTime).toEqual(parked(1))
  expect(vi.getTimerCount()).toBe(0)
})

test('an end that came before anyone waited for it is not lost', async () => {
  const tasks = new RunningTasks()
  tasks.start('a', Promise.resolve(parked(1)))
  tasks.start('b', never)
  await Promise.resolve()
  expect(await tasks.takeEnd(undefined)).toEqual(parked(1))
})
