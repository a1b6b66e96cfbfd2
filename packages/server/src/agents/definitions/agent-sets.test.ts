import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { agentSet, definition } from '../../../test/support/agent-source.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import type { Logger } from '../../runtime/logger.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import type { AgentSet } from './agent-set.ts'
import { AgentSets } from './agent-sets.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(() => fresh.database.run({ text: 'truncate agent_sets' }))
afterAll(() => fresh.drop())

const first = agentSet(definition('clerk', { model: 'test/one' }))
const second = agentSet(definition('clerk', { model: 'test/two', output_schema: { type: 'object' } }))

interface Given {
  readonly loads?: readonly (AgentSet | Error)[]
  readonly hasFolder?: boolean
  readonly isWorker?: boolean
  readonly openModels?: (list: string) => Promise<unknown>
}

function start({ loads = [], hasFolder = true, isWorker = true, openModels }: Given = {}) {
  const logged: unknown[] = []
  const keep = (level: string) => (fields: object, message: string) => void logged.push([level, message, fields])
  const logger = { info: keep('info'), warn: keep('warn'), error: keep('error') } as unknown as Logger
  const left = [...loads]
  const load = async () => {
    const next = left.shift()
    if (!next || next instanceof Error) throw next
    return next
  }
  const sets = new AgentSets({
    folder: hasFolder ? { first, load } : undefined,
    logger,
    ...(isWorker && { database: fresh.database, openModels }),
  })
  return { sets, logged }
}

const stored = async () =>
  (await fresh.database.query<{ hash: string }>({ text: 'select hash from agent_sets order by first_seen_at' })).map(
    ({ hash }) => hash,
  )

describe('a process that executes runs', () => {
  test('stores its set at startup and after a reload, once each', async () => {
    const { sets } = start({ loads: [second, first] })
    await sets.start()
    expect(await stored()).toEqual([first.hash])
    await sets.reload()
    await sets.reload()
    expect(await stored()).toEqual([first.hash, second.hash])
    expect(sets.current).toBe(first)
  })

  test('finds a set that another process stored, with all its fields, and opens its models', async () => {
    await start({ loads: [second] }).sets.reload()
    const opened: string[] = []
    const { sets } = start({ hasFolder: false, openModels: async (list) => opened.push(list) })
    const found = await sets.find(second.hash)
    expect([found?.hash, found?.agents]).toEqual([second.hash, second.agents])
    expect(opened).toEqual(['test/two'])
    expect(await sets.find(second.hash)).toBe(found)
    expect(sets.current).toBeUndefined()
  })

  test('finds a set although it cannot open a model of it', async () => {
    await start({ loads: [second] }).sets.reload()
    const { sets, logged } = start({
      openModels: async () => {
        throw new SettingsError('No key.')
      },
    })
    expect((await sets.find(second.hash))?.hash).toBe(second.hash)
    expect(logged).toMatchObject([['warn', 'the model of an earlier agent cannot be opened', { model: 'test/two' }]])
  })

  test('does not find a set that was never stored', async () => {
    expect(await start().sets.find('unknown')).toBeUndefined()
  })
})

describe('a reload', () => {
  test('replaces the current set, and the earlier one is still found', async () => {
    const { sets, logged } = start({ loads: [second] })
    await sets.reload()
    expect(sets.current).toBe(second)
    expect(await sets.find(first.hash)).toBe(first)
    expect(logged).toEqual([['info', 'agents reloaded', { agents: ['clerk'], hash: second.hash }]])
  })

  test('that fails keeps the set, says why, and does not stop the next one', async () => {
    const { sets, logged } = start({ loads: [new SettingsError('a.md is bad.'), second] })
    await Promise.all([sets.reload(), sets.reload()])
    expect(sets.current).toBe(second)
    expect(logged[0]).toEqual([
      'error',
      'agents could not be reloaded; the previous ones stay in use',
      { problem: 'a.md is bad.' },
    ])
  })

  test('without a folder does nothing', async () => {
    const { sets, logged } = start({ hasFolder: false })
    await sets.reload()
    expect([sets.current, logged]).toEqual([undefined, []])
  })
})

test('a process that only serves the API stores nothing', async () => {
  const { sets } = start({ loads: [second], isWorker: false })
  await sets.start()
  await sets.reload()
  expect(sets.current).toBe(second)
  expect(await stored()).toEqual([])
})
