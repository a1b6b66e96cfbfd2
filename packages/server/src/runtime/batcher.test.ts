import { describe, expect, test } from 'vitest'
import { GroupCommit } from './batcher.ts'

/** Commits that end when the test says so. */
function heldCommits() {
  const flights: { items: readonly string[]; finish: () => void; fail: (error: Error) => void }[] = []
  const waiting: (() => void)[] = []
  const commit = (items: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      flights.push({ items, finish: () => resolve(items.map((item) => `${item}!`)), fail: reject })
      for (const wake of waiting.splice(0)) wake()
    })
  const flight = async (index: number) => {
    while (flights.length <= index) await new Promise<void>((resolve) => waiting.push(resolve))
    return flights[index] as (typeof flights)[number]
  }
  return { commit, flight, flights }
}

describe('group commit', () => {
  test('a single item is flushed at once, and items that arrive meanwhile share the next flush', async () => {
    const { commit, flight, flights } = heldCommits()
    const group = new GroupCommit({ commit })
    const first = group.submit('a')
    const held = await flight(0)
    const rest = ['b', 'c', 'd'].map((item) => group.submit(item))
    expect(flights).toHaveLength(1)
    held.finish()
    ;(await flight(1)).finish()
    expect(await Promise.all([first, ...rest])).toEqual(['a!', 'b!', 'c!', 'd!'])
    expect(flights.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd']])
  })

  test('enough items do not wait for the end of the turn, and a flush leaves half of them for the next', async () => {
    const { commit, flight, flights } = heldCommits()
    const group = new GroupCommit({ commit, enough: 2 })
    const outcomes = ['a', 'b', 'c', 'd', 'e', 'f'].map((item) => group.submit(item))
    expect(flights.map(({ items }) => items)).toEqual([['a', 'b']])
    for (const index of [0, 1, 2]) (await flight(index)).finish()
    await Promise.all(outcomes)
    expect(flights.map(({ items }) => items)).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f']])
  })

  test('with another lane, enough items are flushed on it at once, too', async () => {
    const { commit, flight, flights } = heldCommits()
    const group = new GroupCommit({ commit, enough: 2, lanes: 2, nextLaneAbove: 1 })
    const outcomes = ['a', 'b', 'c', 'd', 'e', 'f'].map((item) => group.submit(item))
    expect(flights.map(({ items }) => items)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    for (const index of [1, 0, 2]) (await flight(index)).finish()
    expect(await Promise.all(outcomes)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!', 'f!'])
  })

  test('two items of one key are never in flight together and keep their order', async () => {
    const { commit, flight, flights } = heldCommits()
    const group = new GroupCommit({ commit, keyOf: (item: string) => item.charAt(0) })
    const outcomes = ['x1', 'x2', 'y1', 'x3'].map((item) => group.submit(item))
    for (const index of [0, 1, 2]) (await flight(index)).finish()
    expect(await Promise.all(outcomes)).toEqual(['x1!', 'x2!', 'y1!', 'x3!'])
    expect(flights.map(({ items }) => items)).toEqual([['x1', 'y1'], ['x2'], ['x3']])
  })

  test('an item behind one that failed may be refused with it, and is not committed', async () => {
    const { commit, flight, flights } = heldCommits()
    const isDependent = (failed: string, next: string) => failed.charAt(1) === next.charAt(1)
    const group = new GroupCommit({
      commit,
      keyOf: (item: string) => item.charAt(0),
      refuseBehind: (failed, outcome, next) => (isDependent(failed, next) ? outcome : undefined),
    })
    const outcomes = Promise.allSettled(['xa1', 'xa2', 'xb', 'xa3', 'y'].map((item) => group.submit(item)))
    ;(await flight(0)).fail(new Error('away'))
    ;(await flight(1)).finish()
    const away = { status: 'rejected', reason: new Error('away') }
    expect(await outcomes).toEqual([away, away, { status: 'fulfilled', value: 'xb!' }, away, away])
    expect(flights.map(({ items }) => items)).toEqual([['xa1', 'y'], ['xb']])
  })

  test('items that wait for one key may be merged, and share the outcome', async () => {
    const { commit, flight, flights } = heldCommits()
    const merge = (a: string, b: string) => (b.endsWith('alone') ? undefined : `${a}+${b}`)
    const group = new GroupCommit({ commit, keyOf: (item: string) => item.charAt(0), merge })
    const early = ['x1', 'x2'].map((item) => group.submit(item))
    const held = await flight(0)
    const late = ['x3', 'x4', 'x alone', 'x5'].map((item) => group.submit(item))
    held.finish()
    for (const index of [1, 2]) (await flight(index)).finish()
    expect(await Promise.all([...early, ...late])).toEqual([
      ...['x1+x2!', 'x1+x2!'],
      ...['x3+x4!', 'x3+x4!'],
      ...['x alone+x5!', 'x alone+x5!'],
    ])
    expect(flights.map(({ items }) => items)).toEqual([['x1+x2'], ['x3+x4'], ['x alone+x5']])
  })

  test('the next flush is in flight before the outcomes of the last are delivered', async () => {
    const { commit, flight, flights } = heldCommits()
    const seen: string[] = []
    const group = new GroupCommit({
      commit,
      after: (items, outcomes) => seen.push(`after ${items} = ${outcomes}, ${flights.length} flights`),
    })
    const first = group.submit('a').then(() => seen.push('a told'))
    const held = await flight(0)
    const second = group.submit('b')
    held.finish()
    await first
    expect(seen).toEqual(['after a = a!, 2 flights', 'a told'])
    ;(await flight(1)).finish()
    await second
  })

  test('a flush stays below its weight, but a single heavy item is flushed', async () => {
    const { commit, flight, flights } = heldCommits()
    const group = new GroupCommit({ commit, weigh: (item: string) => item.length, maxWeight: 4 })
    const outcomes = ['aa', 'bb', 'cc', 'dddddd', 'e'].map((item) => group.submit(item))
    for (const index of [0, 1, 2, 3]) (await flight(index)).finish()
    await Promise.all(outcomes)
    expect(flights.map(({ items }) => items)).toEqual([['aa', 'bb'], ['cc'], ['dddddd'], ['e']])
  })

  test('a second lane opens only for a long queue', async () => {
    const { commit, flight, flights } = heldCommits()
    const group = new GroupCommit({ commit, maxItems: 2, nextLaneAbove: 3 })
    const first = group.submit('a')
    const held = await flight(0)
    const rest = ['b', 'c', 'd', 'e'].map((item) => group.submit(item))
    const second = await flight(1)
    expect(flights).toHaveLength(2)
    second.finish()
    held.finish()
    ;(await flight(2)).finish()
    await Promise.all([first, ...rest])
  })

  test('a failed flush rejects its own items, and waiting items are flushed', async () => {
    const { commit, flight } = heldCommits()
    const group = new GroupCommit({ commit, keyOf: (item: string) => item.charAt(0) })
    const [bad, good] = [group.submit('x1'), group.submit('x2')]
    ;(await flight(0)).fail(new Error('no'))
    await expect(bad).rejects.toThrow('no')
    ;(await flight(1)).finish()
    expect(await good).toBe('x2!')
  })

  test('an error among the outcomes rejects only its item', async () => {
    const group = new GroupCommit<string, string>({
      commit: async (items) => items.map((item) => (item === 'bad' ? new Error('bad one') : item)),
    })
    const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map((item) => group.submit(item)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('drain waits for everything that was submitted', async () => {
    let committed = 0
    const group = new GroupCommit<number, number>({
      commit: async (items) => {
        await new Promise((resolve) => setImmediate(resolve))
        committed += items.length
        return [...items]
      },
      maxItems: 2,
    })
    for (let item = 0; item < 7; item += 1) void group.submit(item)
    await group.drain()
    expect(committed).toBe(7)
  })
})
