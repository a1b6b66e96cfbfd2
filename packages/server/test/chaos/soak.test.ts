// The soak: `npm run chaos -- --scenario soak --seconds 600`. Its arithmetic is tested always.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { leaksOf, slopeOf, soak } from './soak.ts'

const { CHAOS_SOAK_SECONDS, CHAOS_SEED = '1', CHAOS_RESULT } = process.env
const seconds = Number(CHAOS_SOAK_SECONDS ?? 0)

const growing = (megabytesPerMinute: number) =>
  Array.from({ length: 10 }, (_, minutes) => ({
    minutes,
    runs: 0,
    // Up and down around the line.
    heapMegabytes: 50 + megabytesPerMinute * minutes + (minutes % 2),
    descriptors: 20,
    connections: 8,
    deadRows: 100,
  }))
const slopesOf = (perMinute: number) => {
  const heapMegabytes = slopeOf(growing(perMinute), 'heapMegabytes')
  return { heapMegabytes, descriptors: slopeOf(growing(1), 'descriptors'), connections: 0, deadRows: 0 }
}

test('a leak of more than 1 MB a minute is found, and less is not called one', () => {
  expect(leaksOf(slopesOf(0))).toEqual([])
  expect(leaksOf(slopesOf(0.8))).toEqual([])
  expect(leaksOf(slopesOf(1.2))).toEqual([expect.stringMatching(/^heapMegabytes grows by 1\.2\d? a minute$/)])
})

test.skipIf(seconds === 0)('a soak leaks nothing', { timeout: (seconds + 600) * 1_000 }, async () => {
  const say = (line: string) => process.stdout.write(`soak, ${line}\n`)
  const result = await soak({ seed: Number(CHAOS_SEED), seconds, report: say })
  if (CHAOS_RESULT) {
    mkdirSync(dirname(CHAOS_RESULT), { recursive: true })
    writeFileSync(CHAOS_RESULT, `${JSON.stringify(result)}\n`, { flag: 'a' })
  }
  say(JSON.stringify(result.slopes))
  expect(result.violations.map(({ rule, what }) => `${rule}: ${what}`)).toEqual([])
  expect(leaksOf(result.slopes)).toEqual([])
})
