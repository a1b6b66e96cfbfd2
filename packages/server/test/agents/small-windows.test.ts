// Prompts that do not fit the window of a model: each role is called with a shorter one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onePerFormat } from '../support/adapters.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { outline, planned } from '../support/engine.ts'
import { callTools, fail, say } from '../support/providers/script.ts'

describe.each(onePerFormat)('through %s', (adapter) => {
  let agents: AgentBench
  beforeAll(async () => {
    agents = await AgentBench.start({ adapter })
  })
  afterAll(async () => {
    await agents.stop()
    expect(agents.provider.refusals).toEqual([])
  })

  const long = 'It is long. '.repeat(1_200)
  const threeSteps = ['a', 'b', 'c'].map((id) => ({ id, instruction: `Do ${id}` }))

  test('a judge is asked again with less, and decides', async () => {
    const { events } = await agents.play(
      { worker: say(long), judge: [fail('context_too_long'), verdict('continue')] },
      planned(threeSteps),
    )
    expect(outline(events).filter((word) => word.includes('judge_unreadable'))).toEqual([])
    expect(outline(events).at(-1)).toBe('succeeded')
    const [whole, shorter] = agents.asked('judge').map((request) => AgentBench.textOf(request).length)
    expect(whole).toBeGreaterThan(14_000)
    expect(shorter).toBeLessThan(4_000)
    expect(agents.asked('judge')).toHaveLength(4)
  })

  test('a planner that plans again is asked again with less, and plans', async () => {
    const { events } = await agents.play(
      {
        planner: [json({ steps: threeSteps }), fail('context_too_long'), json({ steps: ['Finish'] })],
        worker: say(long),
        judge: [verdict('continue'), verdict('replan', 'Shorter.'), verdict('continue')],
      },
      { input: { goal: 'x' }, metadata: {}, routing_hint: 'require_planning' },
    )
    expect(outline(events).at(-1)).toBe('succeeded')
    const [, whole = 0, shorter = 0] = agents.asked('planner').map((request) => AgentBench.textOf(request).length)
    expect(whole - shorter).toBeGreaterThan(20_000)
  })

  test('a role whose prompt is too long even then fails as before', async () => {
    const { events } = await agents.play(
      { planner: fail('context_too_long') },
      { input: { goal: 'x' }, metadata: {}, routing_hint: 'require_planning' },
    )
    expect(agents.asked('planner')).toHaveLength(2)
    expect(outline(events).at(-1)).toBe('failed context_exceeded')
  })

  test('a worker reads the rest of an earlier step, which is not shown whole', async () => {
    const eight = Array.from({ length: 8 }, (_, n) => ({ id: `s${n}`, instruction: `Do ${n}` }))
    const answers = eight.slice(0, 7).map((_, n) => say(`${n}`.repeat(15_000)))
    const read = callTools([{ name: 'read_result', args: { call_id: 'step:s0', offset: 14_990 } }])
    const { events } = await agents.play(
      { worker: [...answers, read, say('Done.')], judge: verdict('continue') },
      planned(eight),
    )
    expect(outline(events)).toContain('invoked read_result succeeded')
    const prompt = AgentBench.textOf(agents.asked('worker')[7])
    expect(prompt.length).toBeLessThan(40_000)
    expect(prompt).toContain('[The results of 4 earlier steps are not shown: s0, s1, s2, s3.')
    expect(AgentBench.textOf(agents.asked('worker')[8])).toContain('"text":"0000000000"')
    expect(AgentBench.textOf(agents.asked('judge')[7])).not.toContain('Call read_result')
  })
})
