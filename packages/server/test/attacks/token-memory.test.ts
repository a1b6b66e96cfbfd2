// What the holder of a token reads through the memory of a run that it creates: nothing of a workspace or a subject
// that its server did not put into the token.
import type { CreateToken } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rowCounts } from '../support/drive.ts'
import { WordEmbedder } from '../support/embedder.ts'
import { type Bench, planned, startBench, untilEnded, type Value } from '../support/engine.ts'
import { type Caller, emptyRun } from '../support/http.ts'
import { withToken } from '../support/tokens.ts'

const notes = [
  { title: 'of all' },
  { title: 'of the board', workspace_id: 'board' },
  { title: 'of the ceo', subject_id: 'ceo' },
  { title: 'of the ceo on the board', workspace_id: 'board', subject_id: 'ceo' },
  { title: 'of me', subject_id: 'me' },
  { title: 'of me on the board', workspace_id: 'board', subject_id: 'me' },
] as const
let bench: Bench

beforeAll(async () => {
  bench = await startBench({}, { embedder: new WordEmbedder() })
  for (const { title, ...labels } of notes) {
    const input = { title, content: 'The merger is planned for spring.' }
    await bench.play(planned([{ id: 'save', tool: 'memory_save', input }], [], labels))
  }
})
afterAll(() => bench.stop())

const holder = (limits: Partial<CreateToken>) =>
  withToken(bench.acme, { scopes: ['runs:read', 'runs:write', 'memory:read'], ...limits })
const search = (labels: Value) =>
  planned([{ id: 'look', tool: 'memory_search', input: { query: 'the merger', limit: 20 } }], [], labels)

/** The titles of the notes that a run shows to who created it. */
async function found(caller: Caller, labels: Value = {}): Promise<string[]> {
  const id = await bench.create(search(labels), caller)
  await untilEnded(caller, id)
  interface Ended {
    readonly event_payload: { readonly value: { readonly output: { readonly items: readonly { title: string }[] } } }
  }
  const { event_payload } = (await caller.get(`/v1/runs/${id}`)).json<Ended>()
  return event_payload.value.output.items.map(({ title }) => title).sort()
}

test.each<[string, Partial<CreateToken>, Value]>([
  ['subject', { subject_id: 'me' }, { workspace_id: 'board' }],
  ['subject who names itself', { subject_id: 'me' }, { subject_id: 'me', workspace_id: 'board' }],
  ['workspace', { workspace_id: 'board' }, { subject_id: 'ceo' }],
  ['workspace that names itself', { workspace_id: 'board' }, { workspace_id: 'board', subject_id: 'ceo' }],
])('a token of a %s cannot choose the other label of a run', async (_whose, limits, labels) => {
  const caller = await holder(limits)
  const before = await rowCounts(bench.service.database)
  const reply = await caller.create({ ...emptyRun, ...search(labels) })
  expect([reply.status, reply.json().reason_code]).toEqual([403, 'TOKEN_LIMITED'])
  expect(await rowCounts(bench.service.database)).toEqual(before)
})

test.each<[string, Partial<CreateToken>, readonly string[]]>([
  ['subject', { subject_id: 'me' }, ['of all', 'of me']],
  ['workspace', { workspace_id: 'board' }, ['of all', 'of the board']],
  [
    'subject and a workspace',
    { subject_id: 'me', workspace_id: 'board' },
    ['of all', 'of me', 'of me on the board', 'of the board'],
  ],
])('a run of a token of a %s finds what is shared with these labels, and no more', async (_whose, limits, titles) => {
  expect(await found(await holder(limits))).toEqual(titles)
})
