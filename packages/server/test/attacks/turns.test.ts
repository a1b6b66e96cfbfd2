// Attacks on the turns of a run: prompts and replies are the most that a run knows, and only its customer may read
// them, without the secrets.
import type { TurnPage } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentBench } from '../support/agents.ts'
import { canaryDocument, canaryTags, dumpTables, findCanaries } from '../support/canaries.ts'
import { planned } from '../support/engine.ts'
import { Caller } from '../support/http.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, fail, say } from '../support/providers/script.ts'

let agents: AgentBench
const echo = ownTool({ name: 'echo' })
const spill = { ...ownTool({ name: 'spill' }), run: async () => canaryDocument() }
beforeAll(async () => {
  agents = await AgentBench.start({ tools: [echo, spill] })
})
afterAll(() => agents.stop())

const step = (more: Record<string, unknown> = {}) => planned([{ id: 'a', instruction: 'Do it' }], [], more)

describe('who may not read a run', () => {
  let id: string
  beforeAll(async () => {
    id = (await agents.play({ worker: say('Our plan is to merge with Initech.') }, step())).id
  })

  test('another customer cannot tell it from one that does not exist', async () => {
    const [foreign, missing] = await Promise.all([
      agents.bench.other.get(`/v1/runs/${id}/turns`),
      agents.bench.other.get('/v1/runs/run_01m7f8njhrfe3b4wzz6kye37bb/turns'),
    ])
    expect(foreign.status).toBe(404)
    const { request_id: _, ...body } = foreign.json<Record<string, unknown>>()
    const { request_id: __, ...same } = missing.json<Record<string, unknown>>()
    expect(body).toEqual(same)
    expect(foreign.text).not.toContain('Initech')
  })

  test('a key without runs:read is refused', async () => {
    const scopes = ['runs:write', 'runs:signal', 'usage:read', 'memory:read']
    const made = await agents.bench.acme.post('/v1/keys', { scopes })
    const { key, secret } = made.json<{ key: { id: string }; secret: string }>()
    const answer = await new Caller(agents.bench.service.url, `${key.id}:${secret}`).get(`/v1/runs/${id}/turns`)
    expect(answer.status).toBe(403)
    expect(answer.json()).toMatchObject({ reason_code: 'SCOPE_DENIED' })
    expect(answer.text).not.toContain('Initech')
  })

  test('nor is anyone let in without a key', async () => {
    const answer = await fetch(`${agents.bench.service.url}/v1/runs/${id}/turns`)
    expect(answer.status).toBe(401)
  })
})

test('secrets of the input, of tool results, of replies and of failures are in no turn', async () => {
  const { input, metadata } = canaryDocument()
  const all = JSON.stringify([input, metadata])
  const worker = [
    callTools([{ name: 'spill', args: {} }], { text: all }),
    callTools([{ name: 'echo', args: { input, metadata, all } }]),
    fail('bad_request', { message: all }),
  ]
  const { id } = await agents.play({ worker }, step({ input, metadata, sensitivity_tags: canaryTags }))
  const answer = await agents.bench.acme.get(`/v1/runs/${id}/turns`)
  const { turns } = answer.json<TurnPage>()
  expect(turns.map(({ outcome }) => outcome)).toEqual(['reply', 'reply', 'failure'])
  // Each of them would show something: the reply, the call, the result, the failure.
  expect(turns[0]?.reply?.text).toContain('***')
  expect(JSON.stringify(turns[1]?.reply?.tool_calls)).toContain('input.group.item_0')
  expect(JSON.stringify(turns[2]?.messages.at(-1))).toContain('***')
  expect(turns[2]?.failure?.message).toContain('***')
  expect(findCanaries('turns', answer.text)).toEqual([])
  expect(findCanaries('turns', JSON.stringify(turns))).toEqual([])
  const tables = await dumpTables(agents.bench.service.database)
  const stored = tables.filter(([name]) => name.startsWith('turns.'))
  expect(stored.length).toBeGreaterThan(0)
  expect(stored.flatMap(([name, text]) => findCanaries(name, text))).toEqual([])
})
