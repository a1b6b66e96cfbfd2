// The list of the runs whose question waits for the caller.
import type { RunList } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, outline, planned, startBench } from '../support/engine.ts'
import { expectRefusal } from '../support/http.ts'
import { addPerson, type Person } from '../support/people.ts'
import { withToken } from '../support/tokens.ts'

let bench: Bench
let ada: Person
let bob: Person
let eve: Person
let machine: Person
beforeAll(async () => {
  bench = await startBench()
  ada = await person({ person: 'ada', roles: ['finance'] })
  bob = await person({ person: 'bob', roles: ['finance', 'board'] })
  eve = await person({ person: 'eve' })
  machine = await person({ person: null, roles: ['finance'] })
})
afterAll(() => bench.stop())

const person = (wish: Parameters<typeof addPerson>[1]) =>
  addPerson({ url: bench.service.url, admin: bench.acme, database: bench.service.database }, wish)

const signal = (id: string, by: Person, body: object = { action: 'approve' }) =>
  by.caller.post(`/v1/runs/${id}/signal`, body)
const counts = async (id: string, by: Person, body?: object) => {
  const reply = await signal(id, by, body)
  expect(reply.status, reply.text).toBe(200)
}

async function asking(approval: object, by = bench.acme): Promise<string> {
  const step = { id: 'pay', tool: 'calculator', input: { expression: '2+2' }, approval }
  const id = await bench.create(planned([step as never]), by)
  await bench.waits(id)
  return id
}
const succeeds = async (id: string) => expect(outline(await bench.ended(id)).at(-1)).toBe('succeeded')

const assigned = async ({ caller }: Pick<Person, 'caller'>) =>
  (await caller.get('/v1/runs?awaiting_input=true&assigned=me')).json<RunList>().runs.map(({ id }) => id)

describe('assigned=me', () => {
  test('lists what the caller may decide and has not decided', async () => {
    const open = await bench.create(planned([{ await_input: {} }]))
    await bench.waits(open)
    const finance = await asking({ approvers: ['finance'], approvals: 2 })
    const board = await asking({ approvers: ['board'] })
    expect(await assigned(eve)).toEqual([open])
    expect(await assigned(ada)).toEqual([finance, open])
    expect(await assigned(bob)).toEqual([board, finance, open])
    await counts(finance, ada)
    expect(await assigned(ada)).toEqual([open])
    expect(await assigned(machine)).toEqual([finance, open])
    // A token has no roles.
    expect(await assigned({ caller: await withToken(bench.acme, {}) })).toEqual([open])
    for (const id of [open, board, finance]) await counts(id, bob)
    for (const id of [open, board, finance]) await succeeds(id)
  })

  test('keeps a question for those whose answers differ, until they agree', async () => {
    const id = await asking({ approvers: ['finance'], approvals: 2 })
    const edit = { action: 'submit_input', call: { arguments: { expression: '3+3' } } }
    await counts(id, ada, edit)
    expect(await assigned(ada)).toEqual([])
    await counts(id, bob)
    for (const by of [ada, bob, machine]) expect(await assigned(by)).toEqual([id])
    await counts(id, ada)
    await succeeds(id)
    expect(await bench.include(id, 'output')).toEqual({ result: 4 })
  })

  test('leaves out questions that need a recent sign-in: a key can never answer them', async () => {
    const id = await asking({ approvers: ['finance'], reauth: true })
    expect(await assigned(ada)).toEqual([])
    expectRefusal(await signal(id, ada), 403, 'REAUTH_REQUIRED')
    await bench.command(id, 'cancel')
  })

  test('leaves out what the caller has requested, if that excludes', async () => {
    const asker = await person({ person: 'ann', scopes: ['runs:read', 'runs:write'] })
    const id = await asking({ not_requester: true }, asker.caller)
    expect(await assigned(asker)).toEqual([])
    expect(await assigned(eve)).toEqual([id])
    await counts(id, eve)
    await succeeds(id)
  })

  test.each(['assigned=me', 'assigned=me&awaiting_input=false', 'assigned=you&awaiting_input=true'])(
    '%s is refused',
    async (query) => {
      expectRefusal(await ada.caller.get(`/v1/runs?${query}`), 400, 'RUNS_QUERY_PARAMS_INVALID')
    },
  )
})
