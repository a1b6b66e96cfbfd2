import { describe, expect, test, vi } from 'vitest'
import { agentSet, agentSource, definition } from '../../../test/support/agent-source.ts'
import { type FakeOptions, fakeExecution, fakeModel } from '../../../test/support/fake-execution.ts'
import { AgentSet } from '../../agents/definitions/agent-set.ts'
import { journalEntry } from '../../domain/run/journal.ts'

const current = agentSet(definition('clerk'), definition('writer'))
const earlier = agentSet(definition('clerk', { instructions: 'Be slow.' }))
const clerk = current.find('clerk')
const began = (set: string, name?: string) =>
  journalEntry('agents', 'run', { set, ...(name !== undefined && { agent: { name, hash: 'h' } }) })

async function open(options: FakeOptions = {}, user?: 'planner') {
  const source = agentSource(current, earlier)
  const find = vi.spyOn(source, 'find')
  const execution = fakeExecution({ ...options, parts: { agents: source, ...options.parts } })
  await execution.context.openAgents(user)
  return { ...execution, find, agents: execution.context.agents }
}

const ofClerk = { run: { metadata: { agent: 'clerk' } } }
const withoutAgents = { agents: agentSource(undefined) }
const stepOf = (agent: string) => ({ plan: { steps: [{ id: 'a', instruction: 'x', agent }] } })

describe('a run that uses no agent', () => {
  test.each<[string, FakeOptions, 'planner'?]>([
    ['names none', {}],
    ['names something else than text', { run: { metadata: { agent: 17 } } }],
    ['is planned by the sandbox', { startsWithPlanner: true }, 'planner'],
    [
      'is planned by a model where the folder is empty',
      { models: { planner: [fakeModel('test/planner')] }, parts: { agents: agentSource(agentSet()) } },
      'planner',
    ],
  ])('because it %s writes nothing and reads nothing', async (_, options, user) => {
    const { agents, log, find } = await open(options, user)
    expect(agents).toEqual({ set: undefined, own: undefined })
    expect([log.changes, find.mock.calls]).toEqual([[], []])
  })
})

describe('skills', () => {
  const skill = { name: 'greeting', description: 'Greets.', instructions: 'Say hello.', files: [] }
  const skills = { agents: agentSource(new AgentSet([], [skill])) }
  const worker = { models: { worker: [fakeModel('test/worker')] } }
  const reply = journalEntry('reply', '0/a:0', { text: 'Hello.', calls: [], model: 'test/worker' })

  test('are there for a run that begins, and journaled', async () => {
    const { agents, log } = await open({ ...worker, parts: skills })
    expect(agents.set?.skills).toMatchObject([skill])
    expect(log.journal).toEqual([{ key: 'agents:run', body: { set: skills.agents.current?.hash } }])
  })

  test.each<[string, FakeOptions]>([
    ['that has begun without them', { ...worker, journal: [reply] }],
    ['of the sandbox', {}],
  ])('are not there for a run %s', async (_, options) => {
    const { agents, log } = await open({ ...options, parts: skills })
    expect([agents.set, log.journal]).toEqual([undefined, []])
  })
})

describe('a run that begins with agents', () => {
  test('journals the set, and the name and hash of its own agent', async () => {
    const { agents, log } = await open(ofClerk)
    expect(agents).toEqual({ set: current, own: clerk })
    expect(log.journal).toEqual([
      { key: 'agents:run', body: { set: current.hash, agent: { name: 'clerk', hash: clerk?.hash } } },
    ])
  })

  test('journals the set alone if only a step names one, or a model plans', async () => {
    const planned = await open({ models: { planner: [fakeModel('test/planner')] } }, 'planner')
    for (const { agents, log } of [await open(stepOf('writer')), planned]) {
      expect(agents).toEqual({ set: current, own: undefined })
      expect(log.journal).toEqual([{ key: 'agents:run', body: { set: current.hash } }])
    }
  })

  test('does so once', async () => {
    const { context, log } = await open(ofClerk)
    await context.openAgents('planner')
    expect(log.changes).toHaveLength(1)
  })

  test.each([
    ['run', { run: { metadata: { agent: 'nobody' } } }],
    ['step', stepOf('nobody')],
    ['run in a worker without agents', { run: { metadata: { agent: 'nobody' } }, parts: withoutAgents }],
    ['step in a worker without agents', { ...stepOf('nobody'), parts: withoutAgents }],
  ])('does not begin if the agent of a %s is missing, so that a retry looks again', async (_, options) => {
    const { agents, log } = await open(options)
    expect(agents).toEqual({ set: undefined, own: undefined, problem: 'This worker has no agent named "nobody".' })
    expect(log.changes).toEqual([])
  })
})

describe('a run that has begun', () => {
  test('keeps its set, whatever is current now', async () => {
    const { agents, log } = await open({ ...ofClerk, journal: [began(earlier.hash, 'clerk')] })
    expect(agents).toEqual({ set: earlier, own: earlier.find('clerk') })
    expect(log.changes).toEqual([])
  })

  test('without an agent of its own has none, although its metadata names one', async () => {
    expect((await open({ ...ofClerk, journal: [began(earlier.hash)] })).agents.own).toBeUndefined()
  })

  test('with a set that is nowhere says so', async () => {
    const { agents } = await open({ ...ofClerk, journal: [began('gone', 'clerk')] })
    expect(agents.problem).toBe('The agents that the run began with are not stored: set gone.')
  })
})
