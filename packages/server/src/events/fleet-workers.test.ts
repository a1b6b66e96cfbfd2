import { expect, test } from 'vitest'
import { FleetWorkers } from './fleet-workers.ts'

const withRoom = (...ids: string[]) => {
  const workers = new FleetWorkers()
  for (const id of ids) workers.tell(id, true)
  return workers
}
const nextFour = (workers: FleetWorkers) => [1, 2, 3, 4].map(() => workers.next())

test('workers take turns', () => {
  expect(nextFour(withRoom('a', 'b', 'c'))).toEqual(['a', 'b', 'c', 'a'])
})

test('a worker that is full is left out until it has room', () => {
  const workers = withRoom('a', 'b')
  workers.tell('a', false)
  expect(nextFour(workers)).toEqual(['b', 'b', 'b', 'b'])
  workers.tell('b', false)
  expect(workers.next()).toBeUndefined()
  workers.tell('a', true)
  expect(workers.next()).toBe('a')
})

test('a worker that missed a wake-up is left out until it is heard', () => {
  const workers = withRoom('a', 'b')
  workers.missed('a')
  expect([workers.count, ...nextFour(workers)]).toEqual([1, 'b', 'b', 'b', 'b'])
  workers.heard('a')
  expect([workers.count, new Set(nextFour(workers))]).toEqual([2, new Set(['a', 'b'])])
})

test('a process that executes no runs is not a worker, however often it is heard', () => {
  const workers = withRoom()
  workers.heard('api')
  expect([workers.count, workers.next()]).toEqual([0, undefined])
})
