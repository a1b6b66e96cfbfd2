import { describe, expect, test } from 'vitest'
import { agentSet, agentSource, definition } from '../../../test/support/agent-source.ts'
import {
  type FakeOptions,
  fakeExecution,
  fakeModel,
  fakeTool,
  promptOf,
  reply,
} from '../../../test/support/fake-execution.ts'
import type { AgentDefinition } from '../../agents/definitions/definition.ts'
import { prompts } from '../../agents/load-prompt.ts'
import type { ResolvedAgentStep } from '../../domain/plan/plan.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import type { Model } from '../../models/port/model.ts'
import { sandbox } from '../../models/sandbox/sandbox.ts'
import { executeAgentTask } from '../tasks/agent-task.ts'
import { isJudged } from '../tasks/judge-step.ts'
import { executeToolTask } from '../tasks/tool-task.ts'

interface Given extends FakeOptions {
  readonly agents: readonly AgentDefinition[]
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly opened?: Readonly<Record<string, Model>>
}

const time = { msLeft: () => 600_000 }

async function begin({ agents, metadata = {}, opened = {}, ...options }: Given) {
  const worker = fakeModel('test/worker', reply('{}'))
  const execution = fakeExecution({
    plan: { steps: [{ id: 'a', instruction: 'Do it' }] },
    ...options,
    run: { ...options.run, metadata },
    models: { worker: [worker], ...options.models },
    parts: {
      agents: agentSource(agentSet(...agents)),
      allowedModels: ['test/wish'],
      findModels: (list) => opened[list] && [opened[list]],
    },
  })
  await execution.context.openAgents()
  return { ...execution, worker }
}

async function execute(given: Given) {
  const execution = await begin(given)
  const [task] = execution.tasks() as readonly [Task]
  const step = task.step as ResolvedAgentStep
  return { ...execution, end: await executeAgentTask(execution.context, task, { step, time }) }
}

const clerk = (part: Partial<AgentDefinition> = {}) => definition('clerk', part)
const writer = (part: Partial<AgentDefinition> = {}) => definition('writer', part)
const ofClerk = { metadata: { agent: 'clerk' } }

describe('a step of an agent', () => {
  test('sends its parameters', async () => {
    const agents = [clerk({ temperature: 0.2, reasoning_effort: 'low' })]
    const { worker } = await execute({ agents, ...ofClerk })
    expect(worker.requests[0]?.parameters).toEqual({ temperature: 0.2, reasoningEffort: 'low' })
    expect((await execute({ agents })).worker.requests[0]?.parameters).toBeUndefined()
  })

  test('puts its instructions at the end of the system message, before the run’s data', async () => {
    const { worker } = await execute({ agents: [clerk()], ...ofClerk })
    const [system, user] = worker.requests[0]?.messages ?? []
    expect(system).toMatchObject({
      from: 'system',
      text: expect.stringMatching(/^You are an agent that works[\s\S]*Be clerk\.$/),
    })
    expect(user).toMatchObject({ from: 'user', text: expect.not.stringContaining('Be clerk.') })
  })

  test('does not fill templates in its instructions', async () => {
    const agents = [clerk({ instructions: 'Mind {{input.question}}.' })]
    expect(promptOf((await execute({ agents, ...ofClerk })).worker.requests[0])).toContain('Mind {{input.question}}.')
  })

  test('is shortened by its own model, when that model’s window is full', async () => {
    const turn = (index: number) => {
      const call = { callId: `call_${index}`, modelCallId: 'm', name: 'look', input: { index } }
      return [
        journalEntry('reply', `0/a:${index}`, { text: '', calls: [call], model: 'test/own' }),
        journalEntry('result', call.callId, { outcome: 'succeeded' as const, output: index }),
      ]
    }
    const own = { ...fakeModel('test/own', reply('Looked three times.'), reply('Done.')), contextTokens: 200 }
    const journal = [0, 1, 2].flatMap(turn)
    const agents = [clerk({ model: 'test/own' })]
    const { worker, end } = await execute({ agents, ...ofClerk, opened: { 'test/own': own }, journal })
    expect(end).toMatchObject({ kind: 'succeeded', content: 'Done.' })
    expect(promptOf(own.requests[0])).toContain(prompts.summary.text)
    expect([own.requests.length, worker.requests.length]).toEqual([2, 0])
  })
})

test('a step of an agent with a model reads attachments, although the worker’s model is the sandbox', async () => {
  const own = fakeModel('test/own', reply('Done.'))
  const given = { agents: [clerk({ model: 'test/own' })], ...ofClerk, opened: { 'test/own': own } }
  await execute({ ...given, models: { worker: [sandbox] }, run: { attachmentRefs: ['data:text/plain,Hello%20there'] } })
  expect(promptOf(own.requests[0])).toContain('Hello there')
})

describe('the model of a step', () => {
  const [own, wish] = [() => fakeModel('test/own', reply('Done.')), () => fakeModel('test/wish', reply('Done.'))]

  test('is the agent’s', async () => {
    const opened = { 'test/own': own() }
    const { worker } = await execute({ agents: [clerk({ model: 'test/own' })], ...ofClerk, opened })
    expect([opened['test/own'].requests.length, worker.requests.length]).toEqual([1, 0])
  })

  test('is the one that the run chose, before the agent’s', async () => {
    const opened = { 'test/own': own(), 'test/wish': wish() }
    const metadata = { agent: 'clerk', model: 'test/wish' }
    await execute({ agents: [clerk({ model: 'test/own' })], metadata, opened })
    expect([opened['test/wish'].requests.length, opened['test/own'].requests.length]).toEqual([1, 0])
  })

  test.each([
    ['no longer allowed', 'test/own'],
    ['not open in this process', 'test/wish'],
  ])('that the run chose fails the step if it is %s, and no other model does its work', async (_, model) => {
    const { end, worker } = await execute({ agents: [], metadata: { model }, opened: { 'test/own': own() } })
    const explanation = `This worker does not allow the model "${model}", which the run chose.`
    expect(end).toMatchObject({ kind: 'failed', reasonCode: 'model_unavailable', explanation, retryable: false })
    expect(worker.requests).toEqual([])
  })

  test('that this process cannot open fails the step, with the reason', async () => {
    const { end, worker } = await execute({ agents: [clerk({ model: 'test/gone' })], ...ofClerk })
    const explanation = 'This worker cannot open the model of the agent clerk: test/gone.'
    expect(end).toMatchObject({ kind: 'failed', reasonCode: 'agent_unavailable', explanation, retryable: false })
    expect(worker.requests).toEqual([])
  })
})

describe('an agent that is missing', () => {
  test('fails an agent step and a tool step, before any call', async () => {
    const metadata = { agent: 'nobody' }
    const problem = 'This worker has no agent named "nobody".'
    expect((await execute({ agents: [], metadata })).end).toMatchObject({
      reasonCode: 'agent_unavailable',
      explanation: problem,
    })
    const tool = fakeTool('pay')
    const execution = await begin({ agents: [], metadata, tools: [tool], plan: { steps: [{ id: 'a', tool: 'pay' }] } })
    const [task] = execution.tasks() as readonly [Task]
    const end = await executeToolTask(execution.context, task, { step: task.step as never, time })
    expect(end).toMatchObject({ kind: 'failed', reasonCode: 'agent_unavailable', content: problem, retryable: false })
    expect(tool.calls).toEqual([])
  })
})

describe('the tools of a step', () => {
  const tools = ['one', 'two', 'three'].map((name) => fakeTool(name))
  const offered = async (given: Partial<Given>, step: object) => {
    const plan = { steps: [{ id: 'a', instruction: 'x', ...step }] }
    const { worker } = await execute({ agents: [], ...given, tools, plan })
    return worker.requests[0]?.tools.map(({ name }) => name)
  }
  const agents = [clerk({ tools: ['one', 'two'] }), writer({ tools: ['two', 'three'] })]

  test.each<[string, Partial<Given>, object, string[]]>([
    ['all', { agents }, {}, ['one', 'two', 'three']],
    ['those of the run’s agent', { agents, ...ofClerk }, {}, ['one', 'two']],
    ['those of the step’s agent', { agents }, { agent: 'writer' }, ['two', 'three']],
    ['those that both agents have', { agents, ...ofClerk }, { agent: 'writer' }, ['two']],
    ['narrowed by the step', { agents, ...ofClerk }, { tools: ['two', 'three'] }, ['two']],
    ['none, if the step wants none', { agents, ...ofClerk }, { tools: [] }, []],
    ['none, if the agent has none', { agents: [clerk({ tools: [] })], ...ofClerk }, {}, []],
  ])('are %s', async (_, given, step, names) => {
    expect(await offered(given, step)).toEqual(names)
  })
})

describe('the output schema of a step', () => {
  const schema = (name: string) => ({ type: 'object', title: name })
  const agents = [clerk({ output_schema: schema('run') }), writer({ output_schema: schema('step agent') })]
  const sent = async (step: object, more: readonly object[] = [], run: object = {}) => {
    const plan = { steps: [{ id: 'a', instruction: 'x', ...step }, ...more] } as never
    const { worker } = await execute({ agents, ...ofClerk, plan, ...run })
    return promptOf(worker.requests[0])
  }

  test.each<[string, object, readonly object[], string | undefined]>([
    ['is that of the run’s agent, if it is the last one', {}, [], 'run'],
    ['is none, if another one follows', {}, [{ instruction: 'y' }], undefined],
    ['is that of its own agent, wherever it is', { agent: 'writer' }, [{ instruction: 'y' }], 'step agent'],
    ['is its own first', { agent: 'writer', output_schema: schema('own') }, [], 'own'],
  ])('%s', async (_, step, more, title) => {
    const prompt = await sent(step, more)
    if (title === undefined) expect(prompt).not.toContain('JSON Schema')
    else expect(prompt).toContain(JSON.stringify(schema(title)))
  })
})

describe('the judge', () => {
  test.each([
    ['the step', { judge: 'never' }, { judge: 'each_step' }, true],
    ['the plan', { judge: 'each_step' }, {}, true],
    ['the agent', {}, {}, false],
  ] as const)('is asked as %s says', async (_, ofPlan, ofStep, isAsked) => {
    const plan = { ...ofPlan, steps: [{ id: 'a', instruction: 'x', ...ofStep }] } as never
    const run = await begin({ agents: [clerk({ judge: 'never' })], ...ofClerk, plan })
    expect(isJudged(run.context, run.tasks()[0] as Task)).toBe(isAsked)
  })

  const judged = async (judge: AgentDefinition['judge'], more: readonly object[] = []) => {
    const plan = { steps: [{ id: 'a', instruction: 'x' }, ...more] } as never
    const execution = await begin({ agents: [clerk({ judge })], ...ofClerk, plan })
    return isJudged(execution.context, execution.tasks()[0] as Task)
  }

  test('is asked after each step, after the last one, or never', async () => {
    const more = [{ instruction: 'y' }]
    expect([await judged('each_step'), await judged('each_step', more)]).toEqual([true, true])
    expect([await judged('end'), await judged('end', more)]).toEqual([true, false])
    expect([await judged('never'), await judged('never', more)]).toEqual([false, false])
  })

  test('is asked at the end of a run without a plan', async () => {
    const run = await begin({ agents: [clerk({ judge: 'end' })], ...ofClerk, plan: undefined as never })
    expect(isJudged(run.context, run.tasks()[0] as Task)).toBe(true)
  })
})
