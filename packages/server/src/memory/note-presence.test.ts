import { afterEach, expect, test, vi } from 'vitest'
import type { Database } from '../store/postgres/database.ts'
import { NotePresence } from './note-presence.ts'

afterEach(() => void vi.useRealTimers())

function bench(version: number) {
  const asked: string[] = []
  const answer = { version }
  const query = async ({ values }: { values: readonly string[] }) => {
    asked.push(values[0] as string)
    return [answer]
  }
  return { asked, answer, presence: new NotePresence({ query } as unknown as Database) }
}

test('runs of one customer share one query, and its answer for a few seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { asked, presence } = bench(0)
  expect(await Promise.all(Array.from({ length: 50 }, () => presence.hasNotes('acme')))).not.toContain(true)
  expect(asked).toEqual(['acme'])
  vi.advanceTimersByTime(5_001)
  await presence.hasNotes('acme')
  expect(asked).toHaveLength(2)
})

test('a note that this process saves is known at once', async () => {
  const { answer, presence } = bench(0)
  expect(await presence.hasNotes('acme')).toBe(false)
  answer.version = 1
  expect(await presence.hasNotes('acme')).toBe(false)
  presence.forget('acme')
  expect(await presence.hasNotes('acme')).toBe(true)
})
