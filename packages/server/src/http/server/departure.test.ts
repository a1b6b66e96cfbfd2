import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { Departure } from './departure.ts'

const departure = () => new Departure({ server: createServer(), announceMs: 5_000 })

test('a server that was never asked whether it is ready is not watched', () => {
  expect(departure().isWatched(0)).toBe(false)
})

test('a start that waits for readiness does not watch', () => {
  const ours = departure()
  for (let at = 0; at < 900; at += 50) ours.noteProbe(at)
  expect(ours.isWatched(900)).toBe(false)
})

test('probes for more than a second are those of a balancer, until it asks no more', () => {
  const ours = departure()
  for (const at of [0, 5_000, 10_000]) ours.noteProbe(at)
  expect([ours.isWatched(12_000), ours.isWatched(25_001)]).toEqual([true, false])
  ours.noteProbe(60_000)
  expect(ours.isWatched(60_000)).toBe(false)
})
