import { expect, test } from 'vitest'
import type { StoryCall } from '../story/story.ts'
import { groupCalls } from './call-groups.ts'

const call = (name: string, state: StoryCall['state'] = 'succeeded') =>
  ({ id: `${Math.random()}`, name, state }) as StoryCall
const told = (calls: readonly StoryCall[]) =>
  groupCalls(calls).map(({ name, calls: { length }, failed }) => [length, name, failed])

test('80 calls of one tool are one group, which says how many failed', () => {
  const calls = Array.from({ length: 80 }, (_, n) => call('calculator', n === 7 ? 'failed' : 'succeeded'))
  expect(told(calls)).toEqual([[80, 'calculator', 1]])
})

test('a call of a group whose outcome is not known has not failed, and is told', () => {
  const calls = Array.from({ length: 5 }, (_, n) => call('pay', n === 4 ? 'unknown' : 'succeeded'))
  expect(groupCalls(calls)).toMatchObject([{ failed: 0, unknown: 1 }])
})

test('three in a row stand alone, and another tool begins a new row', () => {
  const calls = [call('a'), call('a'), call('a'), call('b', 'timeout'), call('a')]
  expect(told(calls)).toEqual([
    [1, 'a', 0],
    [1, 'a', 0],
    [1, 'a', 0],
    [1, 'b', 1],
    [1, 'a', 0],
  ])
})
