// Agents as files: what the model of a run or step with an agent receives, and that a run keeps the agent it began
// with.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { ofType, outline, planned } from '../support/engine.ts'
import { callTools, say } from '../support/providers/script.ts'

const outputSchema = { type: 'object', required: ['price'], properties: { price: { type: 'number' } } }

const files = {
  'pricer.md': `---
description: Finds prices.
model: openai-compatible/gpt-price
tools: [calculator, json_query]
output_schema: ${JSON.stringify(outputSchema)}
max_turns: 2
judge: never
---
Prices are in euros. Never guess {{input.question}}.`,
  'writer.md': '---\nname: letter-writer\ndescription: Writes letters.\njudge: end\n---\nWrite briefly.\n',
}

let folder: string
let agents: AgentBench
const write = async (name: string, text: string) => writeFile(join(folder, name), text)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
  for (const [name, text] of Object.entries(files)) await write(name, text)
  const env = { RUNWRIGHT_AGENTS_DIR: folder, RUNWRIGHT_MODELS_ALLOWED: 'openai-compatible/gpt-wish' }
  agents = await AgentBench.start({ env })
})
afterAll(async () => {
  await agents.stop()
  await rm(folder, { recursive: true })
  expect(agents.provider.refusals).toEqual([])
})
beforeEach(async () => {
  await write('writer.md', files['writer.md'])
  await agents.bench.service.reload()
})

const ask = (metadata: object, more: object = {}) => ({ input: { question: 'How much is it?' }, metadata, ...more })
const resultOf = async (id: string) => (await agents.bench.acme.run(id)).event_payload.value

describe('a run with an agent', () => {
  test('sends the instructions of the file, its model and its tools', async () => {
    const { id } = await agents.play({ worker: say('{"price": 391}') }, ask({ agent: 'pricer' }))
    const [request] = agents.asked('worker')
    expect(request?.system).toMatch(/Prices are in euros\. Never guess \{\{input\.question\}\}\.$/)
    expect(request?.system).toContain('You are the agent "pricer". The operator of this service gives you')
    expect(request?.model).toBe('gpt-price')
    expect(request?.tools.map(({ name }) => name)).toEqual(['calculator', 'json_query'])
    expect(AgentBench.textOf(request)).toContain(JSON.stringify(outputSchema))
    expect(await resultOf(id)).toMatchObject({ output: { price: 391 } })
  })

  test('that judges never is ended by rule', async () => {
    const { events } = await agents.play({ worker: say('{"price": 391}') }, ask({ agent: 'pricer' }))
    expect(agents.calls).toEqual(['worker'])
    expect(outline(events).slice(-2)).toEqual(['judge stop all_done', 'succeeded'])
  })

  test('has the turns of the file', async () => {
    const calls = callTools([{ name: 'calculator', args: { expression: '390+1' } }])
    await agents.play({ worker: [calls, say('{"price": 391}')] }, ask({ agent: 'pricer' }))
    const [, last] = agents.asked('worker')
    expect(last?.tools).toEqual([])
    expect(last?.messages.at(-1)?.text).toContain('This is your last turn')
  })

  test('cannot call a tool that the file does not list', async () => {
    const calls = callTools([{ name: 'current_time', args: {} }])
    const { events } = await agents.play({ worker: [calls, say('{"price": 391}')] }, ask({ agent: 'pricer' }))
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ tool_outcome: 'policy_denied' }])
  })

  test('bounds the tools of its plan: agent steps can only narrow them, tool steps are refused', async () => {
    const plan = planned(
      [
        { id: 'a', instruction: 'Look', tools: ['calculator', 'current_time'], agent: 'letter-writer' },
        { id: 'b', tool: 'current_time' },
      ],
      [],
      { metadata: { agent: 'pricer' } },
    )
    const { events } = await agents.play({ worker: say('Looked.'), judge: verdict('continue') }, plan)
    expect(agents.asked('worker')[0]?.tools.map(({ name }) => name)).toEqual(['calculator'])
    expect(outline(events)).toContain('invoked current_time policy_denied')
    expect(outline(events).at(-1)).toBe('failed tool_failed')
  })

  test('says which agent it has, and the hash of its definition', async () => {
    const { id } = await agents.play({ worker: say('Dear customer,') }, ask({ agent: 'letter-writer' }))
    expect(await agents.bench.include(id, 'agent')).toEqual({
      name: 'letter-writer',
      hash: (await listed())[0]?.hash,
      set_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const { id: plain } = await agents.play({ worker: say('391.') }, ask({}))
    expect(await agents.bench.include(plain, 'agent')).toBeNull()
  })
})

const listed = async () => {
  const reply = await agents.bench.acme.get('/v1/agents')
  return reply.json<{ agents: Record<string, unknown>[] }>().agents
}

describe('a step with an agent', () => {
  const steps = [
    { id: 'price', agent: 'pricer', instruction: 'Find the price' },
    { id: 'letter', agent: 'letter-writer', instruction: 'Write {{steps.price.output.price}}' },
  ]

  test('is done by that agent, with its model and schema', async () => {
    const { events } = await agents.play({ worker: [say('{"price": 391}'), say('Dear customer,')] }, planned(steps))
    const [price, letter] = agents.asked('worker')
    expect([price?.model, letter?.model]).toEqual(['gpt-price', 'gpt-test'])
    expect(price?.system).toContain('Prices are in euros.')
    expect(letter?.system).toMatch(/Write briefly\.$/)
    expect(letter?.system).not.toContain('Prices')
    expect(AgentBench.textOf(letter)).toContain('Now do this step: Write 391')
    expect(outline(events).at(-1)).toBe('succeeded')
  })

  test('is judged as the file says: the last step of letter-writer, no step of pricer', async () => {
    const twice = planned([...steps, { id: 'again', agent: 'letter-writer', instruction: 'Write again' }])
    await agents.play({ worker: [say('{"price": 391}'), say('Dear customer,')] }, twice)
    expect(agents.calls).toEqual(['worker', 'worker', 'worker', 'judge'])
  })

  test('beside a step without one: that step has the prompt and tools of the service', async () => {
    await agents.play(
      { worker: [say('{"price": 391}'), say('Done.')], judge: verdict('continue') },
      planned([steps[0] as (typeof steps)[0], { id: 'plain', instruction: 'Go on' }]),
    )
    const [, plain] = agents.asked('worker')
    expect(plain?.system).not.toContain('You are the agent "')
    expect(plain?.tools.map(({ name }) => name)).toContain('current_time')
  })
})

describe('the planner', () => {
  const task = { ...ask({}), routing_hint: 'require_planning' }
  const plan = json({ steps: [{ id: 'price', agent: 'pricer', instruction: 'Find the price' }] })

  test('is told the agents in one line each, and may give steps to them', async () => {
    const { id, events } = await agents.play({ planner: plan, worker: say('{"price": 391}') }, task)
    const [request] = agents.asked('planner')
    expect(AgentBench.textOf(request)).toContain('Agents:\n- letter-writer: Writes letters.\n- pricer: Finds prices.')
    expect(request?.system).toContain('Name only agents from the list.')
    expect(agents.asked('worker')[0]?.system).toContain('Prices are in euros.')
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(await agents.bench.include(id, 'agent')).toMatchObject({
      name: null,
      hash: null,
      set_hash: expect.any(String),
    })
  })

  test('that names an unknown agent gets a repair turn that lists the agents', async () => {
    const bad = json({ steps: [{ id: 'price', agent: 'pricey', instruction: 'Find the price' }] })
    await agents.play({ planner: [bad, plan], worker: say('{"price": 391}') }, task)
    const repair = agents.asked('planner')[1]?.messages.at(-1)?.text
    expect(repair).toContain('names an unknown agent: "pricey"; the agents are "letter-writer", "pricer"')
  })

  test('of a run with an agent sees only its tools, may name no others, and is told who does the steps', async () => {
    const bad = json({ steps: [{ id: 'now', tool: 'current_time' }] })
    const good = json({ steps: [{ id: 'price', instruction: 'Find the price' }] })
    const body = { ...task, metadata: { agent: 'pricer' } }
    await agents.play({ planner: [bad, good], worker: say('{"price": 391}') }, body)
    const [first, repair] = agents.asked('planner')
    expect(AgentBench.textOf(first)).toContain('A step that names no agent is done by pricer: Finds prices.')
    expect(AgentBench.textOf(first)).not.toContain('current_time')
    expect(repair?.messages.at(-1)?.text).toContain('names an unknown tool: "current_time"')
    expect(agents.asked('worker')[0]?.model).toBe('gpt-price')
  })
})

describe('metadata.model', () => {
  test('chooses the model of planner and worker, before that of an agent; the judge keeps its own', async () => {
    const plan = json({
      steps: [
        { id: 'a', agent: 'pricer', instruction: 'x' },
        { id: 'b', instruction: 'y' },
      ],
    })
    const body = ask({ model: 'openai-compatible/gpt-wish' }, { routing_hint: 'require_planning' })
    await agents.play({ planner: plan, worker: say('{"price": 391}') }, body)
    expect(agents.asked('planner')[0]?.model).toBe('gpt-wish')
    expect(agents.asked('worker').map((request) => request.model)).toEqual(['gpt-wish', 'gpt-wish'])
    expect(agents.asked('judge')[0]?.model).toBe('gpt-test')
  })

  test.each([['openai-compatible/gpt-test'], [17]])('that is %j answers 400 with the allowed models', async (wish) => {
    const reply = await agents.bench.acme.create(ask({ model: wish }))
    expect([reply.status, reply.json()]).toMatchObject([400, { reason_code: 'INPUT_PAYLOAD_INVALID' }])
    expect(reply.json<{ message: string }>().message).toContain('the allowed models are "openai-compatible/gpt-wish".')
  })
})

describe('creating a run', () => {
  test.each([
    ['nobody', 'metadata.agent names an unknown agent: "nobody"; the agents are "letter-writer", "pricer".'],
    [null, 'metadata.agent must be the name of an agent; the agents are "letter-writer", "pricer".'],
  ])('with the agent %j answers 400', async (agent, message) => {
    const reply = await agents.bench.acme.create(ask({ agent }))
    expect([reply.status, reply.json()]).toMatchObject([400, { reason_code: 'INPUT_PAYLOAD_INVALID', message }])
  })

  test('with a step of an unknown agent, or a tool step of an agent, answers 400', async () => {
    const unknown = await agents.bench.acme.create(planned([{ id: 'a', agent: 'nobody', instruction: 'x' }]))
    expect(unknown.json()).toMatchObject({
      reason_code: 'INPUT_PLAN_INVALID',
      message: 'plan.steps[0] ("a"): names an unknown agent: "nobody"; the agents are "letter-writer", "pricer".',
    })
    const tool = await agents.bench.acme.create(planned([{ tool: 'current_time', agent: 'pricer' } as never]))
    expect([tool.status, tool.json()]).toMatchObject([400, { reason_code: 'INPUT_PLAN_INVALID' }])
  })
})

describe('GET /v1/agents', () => {
  test('lists the agents by name, without their instructions', async () => {
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(await listed()).toEqual([
      {
        name: 'letter-writer',
        description: 'Writes letters.',
        hash,
        model: null,
        tools: null,
        judge: 'end',
        max_turns: null,
        output_schema: null,
        rubric: null,
        skills: null,
      },
      {
        name: 'pricer',
        description: 'Finds prices.',
        hash,
        model: 'openai-compatible/gpt-price',
        tools: ['calculator', 'json_query'],
        judge: 'never',
        max_turns: 2,
        output_schema: outputSchema,
        rubric: null,
        skills: null,
      },
    ])
  })

  test('takes no query parameters', async () => {
    const reply = await agents.bench.acme.get('/v1/agents?limit=1')
    expect([reply.status, reply.json()]).toMatchObject([400, { reason_code: 'RUNS_QUERY_PARAMS_INVALID' }])
  })
})

describe('a reload', () => {
  const gated = planned(
    [
      { id: 'gate', await_input: { prompt: 'Go on?' } },
      { id: 'letter', instruction: 'Write' },
    ],
    [],
    { metadata: { agent: 'letter-writer' } },
  )
  const verbose = files['writer.md'].replace('briefly', 'at length')

  test('changes the agent of runs that begin later, not that of a run that has begun', async () => {
    agents.script({ worker: say('Dear customer,') })
    const before = await agents.bench.create(gated)
    await agents.bench.waits(before)
    await write('writer.md', verbose)
    await agents.bench.service.reload()
    const after = await agents.bench.create(gated)
    await agents.bench.waits(after)
    for (const id of [before, after]) {
      await agents.bench.signal(id, 'approve')
      await agents.bench.ended(id)
    }
    const [old, fresh] = agents.asked('worker')
    expect(old?.system).toMatch(/Write briefly\.$/)
    expect(fresh?.system).toMatch(/Write at length\.$/)
    const [one, two] = await Promise.all([before, after].map((id) => agents.bench.include(id, 'agent')))
    expect(one?.name).toBe(two?.name)
    expect(one?.hash).not.toBe(two?.hash)
    expect(two?.hash).toBe((await listed())[0]?.hash)
  })

  test('keeps the agent of a run over a retry', async () => {
    agents.script({ worker: say('') })
    const id = await agents.bench.create(ask({ agent: 'letter-writer' }))
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('failed empty_reply')
    await write('writer.md', verbose)
    await agents.bench.service.reload()
    agents.script({ worker: say('Dear customer,') })
    await agents.bench.command(id, 'retry')
    expect(outline(await agents.bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect(agents.asked('worker')[0]?.system).toMatch(/Write briefly\.$/)
  })

  test('of a folder with an error keeps the agents and logs the file and field', async () => {
    await write('writer.md', files['writer.md'].replace('judge: end', 'juge: end'))
    await agents.bench.service.reload()
    const line = agents.bench.service.log.all.findLast((one) => one.includes('agents could not be reloaded'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      problem: `RUNWRIGHT_AGENTS_DIR: in ${join(folder, 'writer.md')}, "juge" is not a known field: did you mean judge?`,
    })
    expect(await listed()).toHaveLength(2)
    await agents.play({ worker: say('Dear customer,') }, ask({ agent: 'letter-writer' }))
    expect(agents.asked('worker')[0]?.system).toMatch(/Write briefly\.$/)
  })
})
