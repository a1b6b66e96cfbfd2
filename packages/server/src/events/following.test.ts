import { describe, expect, test } from 'vitest'
import type { StoredEvent } from '../store/run-log/run-change.ts'
import { Following } from './following.ts'

const event = (seq: number): StoredEvent => ({
  seq,
  type: 'step.progress',
  at: new Date(0),
  redacted: false,
  payload: '{}',
})
const events = (...seqs: number[]) => seqs.map(event)

/** A follower whose reads the test controls, and the events it received. It takes so many of them at once. */
function follower(most = Number.POSITIVE_INFINITY) {
  const got: number[] = []
  let reads = 0
  const deliver = (given: readonly StoredEvent[]) => {
    const taken = given.slice(0, most)
    got.push(...taken.map(({ seq }) => seq))
    return taken.length
  }
  const following = new Following(
    { customerId: 'acme', runId: 'r', after: 0, deliver, fail: () => expect.unreachable() },
    {
      requestRead: () => {
        reads += 1
      },
      onStop: () => undefined,
    },
  )
  following.startRead()
  return { following, got, reads: () => reads }
}

describe('an event from the hub during a read', () => {
  test('is delivered after the read if it is the next one, without another read', () => {
    const { following, got, reads } = follower()
    following.onEvents(events(3, 4))
    following.onEvents(events(5))
    following.endRead(events(1, 2), true)
    following.onEvents(events(6))
    expect(got).toEqual([1, 2, 3, 4, 5, 6])
    expect(reads()).toBe(0)
  })

  test('is not delivered twice if the read found it too', () => {
    const { following, got, reads } = follower()
    following.onEvents(events(2, 3))
    following.endRead(events(1, 2, 3), true)
    expect(got).toEqual([1, 2, 3])
    expect(reads()).toBe(0)
  })

  test('causes another read if there is a gap before it', () => {
    const { following, got, reads } = follower()
    following.onEvents(events(4))
    following.endRead(events(1, 2), true)
    expect(got).toEqual([1, 2])
    expect(reads()).toBe(1)
    following.startRead()
    following.endRead(events(3, 4), true)
    expect(got).toEqual([1, 2, 3, 4])
  })

  test('causes another read if one between two events was lost', () => {
    const { following, got, reads } = follower()
    following.onEvents(events(2))
    following.onEvents(events(4))
    following.endRead(events(1), true)
    expect(got).toEqual([1])
    expect(reads()).toBe(1)
  })

  test('waits for a reader that takes no more', () => {
    const { following, got, reads } = follower(1)
    following.onEvents(events(3))
    following.endRead(events(1, 2), true)
    expect(got).toEqual([1])
    expect(reads()).toBe(0)
    following.resume()
    expect([reads(), following.last]).toEqual([1, 1])
  })

  test('is buffered up to a limit: beyond that it is only a wake-up', () => {
    const { following, got, reads } = follower()
    const large = { payload: '"'.padEnd(10_000) }
    for (let seq = 1; seq <= 1_000; seq += 1) following.onEvents([{ ...event(seq), ...large }])
    following.endRead([], true)
    expect(got).toEqual([1, 2, 3, 4, 5, 6])
    expect(reads()).toBe(1)
  })
})

describe('a reader that takes only some of the events', () => {
  test('gets the others from the next read after it resumes', () => {
    const { following, got, reads } = follower(2)
    following.endRead(events(1, 2, 3), true)
    following.onEvents(events(4))
    expect(got).toEqual([1, 2])
    following.resume()
    expect(reads()).toBe(1)
    following.startRead()
    following.endRead(events(3, 4), true)
    expect(got).toEqual([1, 2, 3, 4])
    following.onEvents(events(5))
    expect(got).toEqual([1, 2, 3, 4, 5])
  })

  test('gets live events again from the log if it did not take all of them', () => {
    const { following, got, reads } = follower(1)
    following.endRead([], true)
    following.onEvents(events(1, 2))
    expect(got).toEqual([1])
    following.resume()
    expect(reads()).toBe(1)
    following.endRead(events(2), true)
    expect(got).toEqual([1, 2])
  })
})
