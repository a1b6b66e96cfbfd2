// Memory that runs write and search: their notes, their episodes, and the walls between customers.
import type { MemoryItem, MemoryList } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, planned, scripted, startBench, untilEnded } from '../support/engine.ts'
import type { Caller } from '../support/http.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const save = (title: string, content: string, more: object = {}) => ({
  name: 'memory_save',
  input: { title, content, ...more },
})
const search = (query: string, more: object = {}) => ({ name: 'memory_search', input: { query, ...more } })

const list = async (query = '', caller: Caller = bench.acme) =>
  (await caller.get(`/v1/memory/items${query}`)).json<MemoryList>().items

interface Found {
  readonly items: readonly { readonly title: string; readonly content: string; readonly score: number }[]
}

interface Ended {
  readonly status: string
  readonly event_payload: { readonly value: { readonly output: Found } }
}

/** What a run with these labels finds, as its step's output. */
async function find(query: string, labels: Record<string, string> = {}, caller = bench.acme): Promise<Found['items']> {
  const step = { id: 'look', tool: 'memory_search', input: { query } }
  const id = await bench.create(planned([step], [], labels), caller)
  await untilEnded(caller, id)
  const { status, event_payload } = (await caller.get(`/v1/runs/${id}`)).json<Ended>()
  expect(status).toBe('succeeded')
  return event_payload.value.output.items
}

test('what one run saves another finds, in other words', async () => {
  const labels = { workspace_id: 'team', subject_id: 'user' }
  const note = save('Deployments', 'New versions are released on Thursday mornings.', { tags: ['ops'] })
  const { id, events } = await bench.play(scripted([{ tools: [note] }], labels))
  expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ tool_name: 'memory_save', tool_outcome: 'succeeded' }])
  const [item] = await list('?workspace_id=team')
  expect(item).toMatchObject({
    ...labels,
    ...{ run_id: id, kind: 'fact', status: 'active', harness: false, tags: ['ops'] },
    embedding_model: 'offline/use-lite-en',
  })
  const found = await find('on which day do we ship software?', labels)
  expect(found.map(({ title }) => title)).toEqual(['Deployments'])
})

test('the embedding is told as numbers to who asks for it', async () => {
  await bench.play(scripted([{ tools: [save('Numbers', 'Vectors are numbers.')] }], { workspace_id: 'numbers' }))
  const [item] = await list('?workspace_id=numbers')
  const reply = await bench.acme.get(`/v1/memory/items/${item?.id}?include_embedding=true`)
  const { embedding } = reply.json<MemoryItem>()
  expect(embedding).toHaveLength(512)
  expect(embedding?.every((value) => typeof value === 'number')).toBe(true)
})

test('a note with the same title takes the place of the old one', async () => {
  const labels = { workspace_id: 'limits' }
  await bench.play(scripted([{ tools: [save('Limit', 'Payments over 1,000 need an approval.')] }], labels))
  await bench.play(scripted([{ tools: [save('Limit', 'Payments over 2,000 need an approval.')] }], labels))
  const [active] = await list('?workspace_id=limits&status=active')
  const [old] = await list('?workspace_id=limits&status=superseded')
  expect(active?.content).toContain('2,000')
  expect(old?.superseded_by).toBe(active?.id)
  expect((await find('approval of payments', labels)).map(({ content }) => content)).toEqual([active?.content])
})

test('two calls of one step with the same title leave one active', async () => {
  const tools = [save('Colour', 'It is red.'), save('Colour', 'It is blue.'), save('Colour', 'It is green.')]
  await bench.play(scripted([{ tools }], { workspace_id: 'colours' }))
  expect(await list('?workspace_id=colours&status=active')).toHaveLength(1)
  expect(await list('?workspace_id=colours&status=superseded')).toHaveLength(2)
})

describe('walls', () => {
  const secret = 'The vault is opened with a golden spoon.'
  const question = 'how is the vault opened?'
  const labels = { workspace_id: 'bank', subject_id: 'vault' }
  beforeAll(() => bench.play(scripted([{ tools: [save('Vault', secret)] }], labels)))

  test('another customer finds nothing, whatever labels it uses', async () => {
    expect(await find(question, labels, bench.other)).toEqual([])
    expect(await list('?include_harness=true', bench.other)).not.toContainEqual(
      expect.objectContaining({ content: expect.stringContaining('spoon') }),
    )
  })

  test.each([{}, { workspace_id: 'bank' }, { workspace_id: 'bank', subject_id: 'door' }, { subject_id: 'vault' }])(
    'a run with %j does not find it',
    async (other) => {
      expect((await find(question, other)).map(({ content }) => content)).not.toContain(secret)
    },
  )

  test('a run with the same labels does', async () => {
    expect((await find(question, labels)).map(({ content }) => content)).toContain(secret)
  })

  test('what has no labels is found by all runs of the customer', async () => {
    const open = 'The canteen serves soup on Mondays.'
    await bench.play(scripted([{ tools: [save('Canteen', open)] }]))
    expect((await find('what can I eat in the canteen?', labels)).map(({ content }) => content)).toContain(open)
  })
})

test('bad input comes back to the agent as a sentence', async () => {
  const { events } = await bench.play(scripted([{ tools: [save('', 'x'), search('x', { limit: 50 })] }]))
  expect(ofType(events, 'run.tool.invoked').map(({ tool_output_summary }) => tool_output_summary)).toMatchObject([
    { preview: 'input.title must have at least 1 character.' },
    { preview: 'input.limit must be at most 20.' },
  ])
})

test('a tagged value never gets into a note, neither as it is nor by its placeholder', async () => {
  const pin = '48151623'
  const tools = [save('Plain', `The pin is ${pin}.`), save('Placed', 'The pin is {{secret:$.input.pin}}.')]
  const sensitivity_tags = [{ path: '$.input.pin', classification: 'credential', redaction: 'mask' }]
  await bench.play(scripted([{ tools }], { workspace_id: 'pins', input: { pin }, sensitivity_tags }))
  const contents = (await list('?workspace_id=pins')).map(({ content }) => content)
  expect(contents).toEqual(['The pin is ***.', 'The pin is ***.'])
})

describe('the episode of a run', () => {
  const episodes = async (workspace: string) =>
    (await list(`?workspace_id=${workspace}&include_harness=true`)).filter(({ kind }) => kind === 'episode')

  test('tells what was asked and done, and is kept for the service itself', async () => {
    const steps = [{ say: 'Two and two are four.', tools: [{ name: 'calculator', input: { expression: '2+2' } }] }]
    const { id } = await bench.play(scripted(steps, { workspace_id: 'sums', input: { task: 'add two and two' } }))
    const [episode, ...others] = await episodes('sums')
    expect(others).toEqual([])
    expect(episode).toMatchObject({ run_id: id, harness: true, status: 'active', tags: ['calculator'] })
    expect(episode?.title).toBe(`Run ${id}`)
    for (const part of ['add two and two', 'Two and two are four.', 'calculator'])
      expect(episode?.content).toContain(part)
    expect(await list('?workspace_id=sums')).toEqual([])
    const found = await find('add two and two', { workspace_id: 'sums' })
    expect(found.map(({ title }) => title)).not.toContain(episode?.title)
  })

  test('names the tools of a plan and leaves the planner out', async () => {
    const steps = [{ id: 'sum', tool: 'calculator', input: { expression: '1+1' } }]
    await bench.play({ ...planned(steps, [], { workspace_id: 'plans' }), plan: { goal: 'Add', steps } })
    const [episode] = await episodes('plans')
    expect(episode?.content).toBe('Goal: Add\n- sum: {"result":2}\nTools: calculator')
  })

  test('is not written by a run that fails or waits', async () => {
    const labels = { workspace_id: 'failures' }
    await bench.play(scripted([{ fail: { reason_code: 'provider_error' } }], labels))
    const id = await bench.create(planned([{ id: 'gate', await_input: {} }], [], labels))
    await bench.waits(id)
    expect(await episodes('failures')).toEqual([])
    await bench.signal(id, 'approve')
    await bench.ended(id)
    expect(await episodes('failures')).toHaveLength(1)
  })

  test('holds nothing that was tagged', async () => {
    const tagged = { sensitivity_tags: [{ path: '$.input.pin', classification: 'credential', redaction: 'mask' }] }
    const body = scripted([{ say: 'The pin is 48151623.' }], { workspace_id: 'tagged', input: { pin: '48151623' } })
    await bench.play({ ...body, ...tagged })
    const [episode] = await episodes('tagged')
    expect(episode?.content).toContain('"pin":"***"')
    expect(episode?.content).not.toContain('48151623')
  })
})
