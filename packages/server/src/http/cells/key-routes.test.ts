import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addKey, HandClock, WatchedDatabase } from '../../../test/support/access.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { startLine } from '../../../test/support/line.ts'
import type { Move } from '../../store/cells/move-state.ts'
import { Database } from '../../store/postgres/database.ts'
import { KeyRoutes, routeOf } from './key-routes.ts'

const lives = { move: null, cell: null }
const at = (move: Move, cell: string) => ({ move, cell })

describe('the cell of a key', () => {
  test.each([
    ['where its customer lives', { a: lives, b: 'none' }, { kind: 'cell', name: 'a' }],
    ['where it lives while it is moved', { a: at('held', 'b'), b: at('arriving', 'a') }, { kind: 'cell', name: 'a' }],
    ['the new one after the switch', { a: at('moved', 'b'), b: at('arriving', 'a') }, { kind: 'cell', name: 'b' }],
    ['the new one after the move', { a: at('gone', 'b'), b: lives }, { kind: 'cell', name: 'b' }],
    ['where it lives, though another one is down', { a: 'no_answer', b: lives }, { kind: 'cell', name: 'b' }],
    ['not known if the one that may have it is down', { a: 'no_answer', b: 'none' }, { kind: 'unavailable' }],
    ['not one that it may not have reached yet', { a: 'no_answer', b: at('arriving', 'a') }, { kind: 'unavailable' }],
    ['none', { a: 'none', b: 'none' }, { kind: 'unknown' }],
    ['never one of two', { a: lives, b: lives }, { kind: 'ambiguous' }],
  ] as const)('is %s', (_, answers, route) => {
    expect(routeOf(new Map(Object.entries(answers)))).toEqual(route)
  })
})

describe('with two databases', () => {
  let fresh: FreshDatabase[]
  let watched: WatchedDatabase[]
  let keyId: string
  let clock: HandClock
  let routes: KeyRoutes
  beforeAll(async () => {
    fresh = [await freshDatabase(), await freshDatabase()]
    keyId = (await addKey((fresh[0] as FreshDatabase).database)).id
    watched = fresh.map(({ connection }) => new WatchedDatabase(connection))
  })
  beforeEach(() => {
    clock = new HandClock()
    const cells = watched.map((database, index) => ({ name: ['a', 'b'][index] ?? '', database }))
    routes = new KeyRoutes({ cells, now: clock.now })
    for (const database of watched) database.isDown = false
  })
  afterAll(async () => {
    await Promise.all(watched.map((database) => database.close()))
    await Promise.all(fresh.map(({ drop }) => drop()))
  })

  const asked = () => watched.map(({ executed }) => executed.length)
  const since = (before: readonly number[]) => asked().map((count, index) => count - (before[index] ?? 0))

  test('all cells are asked once, then nothing for a second, then only the cell of the key', async () => {
    const before = asked()
    expect(await routes.find(keyId)).toEqual({ kind: 'cell', name: 'a' })
    clock.ms += 1_000
    await routes.find(keyId)
    expect(since(before)).toEqual([1, 1])
    clock.ms += 1
    await routes.find(keyId)
    expect(since(before)).toEqual([2, 1])
  })

  test('requests at once share a statement, and an unknown key is asked for once a second', async () => {
    const before = asked()
    await Promise.all(Array.from({ length: 20 }, (_, n) => routes.find(`key_none_${n}`)))
    expect(await routes.find('key_none_3')).toEqual({ kind: 'unknown' })
    expect(Math.max(...since(before))).toBeLessThanOrEqual(3)
    expect(await routes.find('not a key\0')).toEqual({ kind: 'unknown' })
  })

  test('a key keeps its cell while the database of the cell is away, and other keys are not known', async () => {
    await routes.find(keyId)
    clock.ms += 2_000
    const [a] = watched
    if (a) a.isDown = true
    expect(await routes.find(keyId)).toEqual({ kind: 'cell', name: 'a' })
    expect(await routes.find('key_none')).toEqual({ kind: 'unavailable' })
  })
})

test('a database that hangs does not hang the keys of other cells', async () => {
  const [a, b] = [await freshDatabase(), await freshDatabase()]
  const line = await startLine(a.connection)
  const hung = new Database({ connection: line.connection, maxConnections: 1, applicationName: 'runwright test' })
  const { id } = await addKey(b.database)
  await hung.run({ text: 'select 1' })
  line.hold()
  const cells = [
    { name: 'a', database: hung },
    { name: 'b', database: b.database },
  ]
  const routes = new KeyRoutes({ cells, askWithinMs: 300 })
  const beganAt = performance.now()
  expect(await routes.find(id)).toEqual({ kind: 'cell', name: 'b' })
  expect(await routes.find('key_none')).toEqual({ kind: 'unavailable' })
  // The driver gives up after 17 s.
  expect(performance.now() - beganAt).toBeLessThan(10_000)
  line.release()
  await hung.close()
  await line.close()
  await Promise.all([a.drop(), b.drop()])
})
