import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { acceptDefinitions, listChangedTools, listDefinitions, recordDefinitions } from './tool-definitions.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(() => fresh.database.run({ text: 'truncate mcp_tools' }))
afterAll(() => fresh.drop())

const record = (tools: Record<string, string>, server = 'mail', refusesNew = false) =>
  recordDefinitions(fresh.database, {
    server,
    tools: Object.entries(tools).map(([tool, hash]) => ({ tool, hash, definition: { description: hash } })),
    refusesNew,
  })
const changed = async () => (await listChangedTools(fresh.database)).map(({ server, tool }) => `${server}.${tool}`)

test('a definition is accepted at first sight, and a change is not', async () => {
  expect(await record({ read: 'a', send: 'b' })).toEqual([])
  expect(await record({ read: 'a', send: 'c' })).toEqual(['send'])
  expect(await record({ read: 'a', send: 'c', new: 'd' })).toEqual(['send'])
  expect(await changed()).toEqual(['mail.send'])
})

test('a tool that a pinned server adds later is not accepted at first sight', async () => {
  expect(await record({ read: 'a' }, 'mail', true)).toEqual([])
  expect(await record({ read: 'a', send: 'b' }, 'mail', true)).toEqual(['send'])
  expect(await record({ read: 'a', send: 'c' }, 'mail', true)).toEqual(['send'])
  expect(await changed()).toEqual(['mail.send'])
  expect(await record({ read: 'a', send: 'c' }, 'mail', false)).toEqual(['send'])
  expect(await acceptDefinitions(fresh.database, 'mail')).toEqual(['send'])
  expect(await record({ read: 'a', send: 'c' }, 'mail', true)).toEqual([])
  expect(await record({ read: 'a', send: 'b' }, 'mail', true)).toEqual(['send'])
})

test('the time of a change is that of its first sight', async () => {
  await record({ read: 'a' })
  await record({ read: 'b' })
  const [first] = await listChangedTools(fresh.database)
  await record({ read: 'b' })
  expect(await listChangedTools(fresh.database)).toEqual([first])
})

test('a definition that is as before is not a change any more', async () => {
  await record({ read: 'a' })
  await record({ read: 'b' })
  expect(await record({ read: 'a' })).toEqual([])
  expect(await changed()).toEqual([])
})

test('servers are independent of each other', async () => {
  await record({ read: 'a' })
  expect(await record({ read: 'b' }, 'other')).toEqual([])
})

test('a server without tools is fine', async () => {
  expect(await record({})).toEqual([])
})

test('an accepted change is the definition from now on, of one tool or of all', async () => {
  await record({ read: 'a', send: 'a', list: 'a' })
  await record({ read: 'b', send: 'b', list: 'b' })
  expect(await acceptDefinitions(fresh.database, 'mail', 'send')).toEqual(['send'])
  expect(await record({ read: 'b', send: 'b', list: 'b' })).toEqual(['list', 'read'])
  expect(await acceptDefinitions(fresh.database, 'mail')).toEqual(['list', 'read'])
  expect(await record({ read: 'b', send: 'b', list: 'b' })).toEqual([])
  expect(await acceptDefinitions(fresh.database, 'mail')).toEqual([])
})

const listed = async (...servers: string[]) =>
  (await listDefinitions(fresh.database, servers)).map(({ server, tool, definition, hasChanged }) => [
    `${server}.${tool}`,
    (definition as { readonly description: string }).description,
    hasChanged,
  ])

test('the definitions are those of the last list, of the servers that are asked for', async () => {
  await record({ read: 'a', send: 'a' })
  await record({ find: 'a' }, 'other')
  await record({ read: 'b', send: 'a' })
  expect(await listed('mail')).toEqual([
    ['mail.read', 'b', true],
    ['mail.send', 'a', false],
  ])
  expect(await listed('mail', 'other')).toContainEqual(['other.find', 'a', false])
  expect(await listed()).toEqual([])
})

test('a tool that the server no longer lists is gone, and its first definition is not forgotten', async () => {
  await record({ read: 'a', send: 'a' })
  await record({ send: 'a' })
  expect(await listed('mail')).toEqual([['mail.send', 'a', false]])
  expect(await record({ read: 'b', send: 'a' })).toEqual(['read'])
  expect(await listed('mail')).toContainEqual(['mail.read', 'b', true])
})
