import { expect, test } from 'vitest'
import { MinuteFigures } from './minute-figures.ts'

const answer = (ms: number, status = 200, isStream = false) => ({ ms, status, isStream })

test('answers, errors and the latency below which 95 of 100 answers were are counted until they are taken', () => {
  const figures = new MinuteFigures()
  for (let n = 0; n < 95; n += 1) figures.countAnswer(answer(8))
  for (let n = 0; n < 5; n += 1) figures.countAnswer(answer(800, 503))
  expect(figures.take()).toEqual({ requests: 100, errors: 5, latencyMs: 10, busyPlaces: null, places: null })
  expect(figures.take()).toMatchObject({ requests: 0, errors: 0, latencyMs: null })
})

test('streams are requests without a latency, and very slow answers have one', () => {
  const figures = new MinuteFigures()
  figures.countAnswer(answer(3_600_000, 200, true))
  expect(figures.take()).toMatchObject({ requests: 1, latencyMs: null })
  figures.countAnswer(answer(60_000))
  expect(figures.take()).toMatchObject({ latencyMs: 20_000 })
})

test('a process that executes runs tells how many of its places are busy', () => {
  const figures = new MinuteFigures()
  figures.watchPlaces(() => ({ busy: 3, places: 10 }))
  expect(figures.take()).toMatchObject({ busyPlaces: 3, places: 10 })
})
