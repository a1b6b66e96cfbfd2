import { expect, test } from 'vitest'
import { timeScale } from './time-scale.ts'

test('without gaps the axis is even', () => {
  const { at, cuts, length } = timeScale([{ from: 0, to: 1_000 }], { from: 0, to: 1_000 })
  expect([at(0), at(250), at(1_000)]).toEqual([0, 0.25, 1])
  expect(cuts).toEqual([])
  expect(length).toBe(1_000)
})

test('a night without work is a small cut, and what worked keeps its proportions', () => {
  const night = 36_000_000
  const busy = [
    { from: 0, to: 60_000 },
    { from: 60_000 + night, to: 120_000 + night },
  ]
  const { at, cuts, length } = timeScale(busy, { from: 0, to: 120_000 + night })
  expect(cuts).toEqual([{ from: 60_000, to: 60_000 + night, at: expect.closeTo(0.5) }])
  expect(length).toBe(120_000)
  expect(at(60_000)).toBeCloseTo(0.485)
  expect(at(60_000 + night)).toBeCloseTo(0.515)
  expect(at(120_000 + night)).toBeCloseTo(1)
})

test('a run that still waits ends in a cut', () => {
  const { at, cuts } = timeScale([{ from: 0, to: 5_000 }], { from: 0, to: 3_605_000 })
  expect(cuts).toHaveLength(1)
  expect(at(5_000)).toBeCloseTo(0.97)
})

test('short gaps stay, and the axis never runs backwards', () => {
  const busy = Array.from({ length: 50 }, (_, n) => ({ from: n * 60_000, to: n * 60_000 + 100 * (n % 5) }))
  const { at } = timeScale(busy, { from: 0, to: 3_000_000 })
  const places = Array.from({ length: 300 }, (_, n) => at(n * 10_000))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places.at(-1)).toBeLessThanOrEqual(1)
})
