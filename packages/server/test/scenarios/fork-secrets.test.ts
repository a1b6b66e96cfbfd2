// Tagged values in forks: tools of the fork get them as they are, and no one else ever sees one.
import type { CreatedRun, PlanStep, SensitivityTag } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { canaries, canaryDocument, canaryTags, dumpTables, findCanaries } from '../support/canaries.ts'
import { type Bench, planned, startBench } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'

const taker = ownTool({ name: 'taker' })
let bench: Bench
beforeAll(async () => {
  bench = await startBench({}, { tools: [taker] })
})
afterAll(() => bench.stop())

async function playFork(id: string, body: object): Promise<string> {
  const reply = await bench.acme.post(`/v1/runs/${id}/fork`, body, { 'idempotency-key': crypto.randomUUID() })
  expect(reply.status, reply.text).toBe(201)
  const { id: fork } = reply.json<CreatedRun>()
  await bench.ended(fork)
  return fork
}

const inputsOf = (id: string) => taker.callsOf(id).map(({ input }) => input)
const start: PlanStep = { id: 'start', tool: 'calculator', input: { expression: '1' } }
const tag = (path: string, more: object = {}): SensitivityTag => ({ path, classification: 'credential', ...more })

describe('with the input of the run', () => {
  test('all tagged values reach the tools of the fork, and show nowhere', async () => {
    const templates = Object.fromEntries(canaries.map(({ template }, n) => [`v${n}`, `{{${template}}}`]))
    const steps = [start, { id: 'take', tool: 'taker', input: templates }]
    const { id } = await bench.play(
      planned(steps, [], {
        ...canaryDocument(),
        attachment_refs: [`see:${canaries[0]?.value}`],
        sensitivity_tags: canaryTags,
      }),
    )
    const fork = await playFork(id, { from_step: 'start' })
    expect(inputsOf(fork)).toEqual(inputsOf(id))
    expect(inputsOf(fork)).toEqual([Object.fromEntries(canaries.map(({ value }, n) => [`v${n}`, value]))])
    for (const what of ['input', 'plan', 'title']) {
      expect(await bench.include(fork, what)).toEqual(await bench.include(id, what))
    }
    const shown = await bench.acme.get(`/v1/runs/${fork}?include=input,plan,signals,title`)
    expect(findCanaries('the run', shown.text)).toEqual([])
    const cells = await dumpTables(bench.service.database)
    expect(cells.flatMap(([name, text]) => findCanaries(name, text))).toEqual([])
  })

  test('a value is sealed for the fork: it opens after the run was deleted', async () => {
    const steps = [start, { id: 'take', tool: 'taker', input: { pin: '{{input.pin}}' } }]
    const body = { input: { pin: '4711-0815' }, sensitivity_tags: [tag('$.input.pin')] }
    const { id } = await bench.play(planned(steps, [], body))
    const fork = await playFork(id, { from_step: 'start' })
    await bench.acme.send({ method: 'DELETE', path: `/v1/runs/${id}` })
    expect(inputsOf(await playFork(fork, { from_step: 'start' }))).toEqual([{ pin: '4711-0815' }])
  })
})

describe('with another input', () => {
  const secret = 'old-secret-kestrel'
  const encoded = Buffer.from(`user:${secret}`).toString('base64')
  const steps: PlanStep[] = [
    { id: 'echo', tool: 'taker', input: { said: 'new-secret-osprey', pin: '{{input.pin}}' } },
    { id: 'gate', await_input: {} },
    {
      id: 'take',
      tool: 'taker',
      input: {
        pin: '{{input.pin}}',
        header: `Basic ${encoded}`,
        before: '{{steps.echo.output}}',
        signal: '{{signal.payload}}',
      },
    },
  ]
  let id: string
  beforeAll(async () => {
    const body = { input: { pin: secret }, sensitivity_tags: [tag('$.input.pin')] }
    id = await bench.create(planned(steps, [], body))
    await bench.waits(id)
    await bench.signal(id, 'submit_input', { payload: 'osprey is new-secret-osprey' })
    await bench.ended(id)
  })

  test('the tags of the run hold: the new value is sealed and hidden, also in what the fork keeps', async () => {
    const fork = await playFork(id, { from_step: 'gate', input: { pin: 'new-secret-osprey' } })
    expect(inputsOf(fork)).toMatchObject([{ pin: 'new-secret-osprey', before: { said: '***', pin: '***' } }])
    expect(await bench.include(fork, 'input')).toMatchObject({ input: { pin: '***' } })
    const [row] = await bench.service.database.query<{ text: string }>({
      text: "select string_agg(body::text, '') as text from journal where run_id = $1",
      values: [fromWireId('run', fork)],
    })
    expect(row?.text).toContain('"said":"***"')
    expect(row?.text).not.toContain('new-secret-osprey')
  })

  test('a text of the plan with another form of the old value reaches no tool', async () => {
    const [call] = inputsOf(await playFork(id, { from_step: 'gate', input: { pin: 'new-secret-osprey' } }))
    expect(JSON.stringify(call)).not.toContain(encoded)
    expect(call).toMatchObject({ header: expect.stringContaining('***') })
    const [same] = inputsOf(await playFork(id, { from_step: 'gate', metadata: { n: 1 } }))
    expect(same).toMatchObject({ header: `Basic ${encoded}`, pin: secret })
  })

  test('a mask that was read does not become the value: it is an input like any other', async () => {
    const shown = await bench.include<{ input: object }>(id, 'input')
    expect(
      inputsOf(await playFork(id, { from_step: 'gate', ...shown, attachment_refs: undefined, metadata: {} })),
    ).toMatchObject([{ pin: '***' }])
  })

  test('tags of the fork are added to those of the run', async () => {
    const input = { pin: 'new-secret-osprey', name: 'Hopper' }
    const fork = await playFork(id, {
      from_step: 'gate',
      input,
      sensitivity_tags: [tag('$.input.name', { redaction: 'drop' })],
    })
    expect(await bench.include(fork, 'input')).toMatchObject({ input: { pin: '***' } })
    expect(JSON.stringify(await bench.include(fork, 'input'))).not.toContain('name')
  })
})
