// Which answer a rubric grades: of plans, agents, tools and forks. What happens when the judge gives no grade, at the
// limits of a run, and with sensitive values.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlanStep } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { AgentBench, json, verdict } from '../support/agents.ts'
import { eventually, ofType, outline, planned } from '../support/engine.ts'
import { fail, type NeutralRequest, say } from '../support/providers/script.ts'

const rubric = 'Names the price.'
const good = json({ passes: true, notes: '' })
const bad = json({ passes: false, notes: 'How much?' })

const checker = `---
description: Checks prices.
rubric:
  criteria: Names a source.
  max_revisions: 1
---
Check it.
`

let folder: string
let agents: AgentBench
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
  await writeFile(join(folder, 'checker.md'), checker)
  const env = { RUNWRIGHT_AGENTS_DIR: folder, RUNWRIGHT_MAX_TURNS: '3' }
  agents = await AgentBench.start({ env })
})
afterAll(async () => {
  await agents.stop()
  await rm(folder, { recursive: true })
  expect(agents.provider.refusals).toEqual([])
})

async function withOwn(env: Record<string, string>, use: (own: AgentBench) => Promise<void>): Promise<void> {
  const own = await AgentBench.start({ env })
  try {
    await use(own)
  } finally {
    await own.stop()
  }
}

/** The run goes on, and no worker holds it. */
const isParked = async (id: string): Promise<boolean> => {
  const rows = await agents.bench.service.database.query({
    text: `select from runs where id = $1 and state = 'running' and worker_id is null and ready_at is not null`,
    values: [fromWireId('run', id)],
  })
  return rows.length > 0
}

const resultOf = async (id: string) => (await agents.bench.acme.run(id)).event_payload.value
const plan = (steps: readonly PlanStep[], more: object = {}) => planned(steps, [], { input: { rubric, ...more } })
const question = { input: { question: 'What does it cost?', rubric }, metadata: {} }

describe('the result of the run', () => {
  test('of steps side by side is that of the one that ends last, and only that is graded', async () => {
    const steps: PlanStep[] = ['a', 'b'].map((id) => ({ id, instruction: id, depends_on: [], judge: 'never' }))
    const { events } = await agents.play({ worker: say('391 euros.'), grade: good }, plan(steps))
    expect(agents.calls).toEqual(['worker', 'worker', 'grade'])
    expect(outline(events).at(-1)).toBe('succeeded')
  })

  test('is graded before a gate asks a person about it', async () => {
    const steps: PlanStep[] = [
      { id: 'a', instruction: 'Answer' },
      { id: 'gate', await_input: { input_kind: 'approval' } },
    ]
    agents.script({ worker: say('391 euros.'), grade: [bad, good] })
    const id = await agents.bench.create(plan(steps, { rubric: { criteria: rubric, include_grade: true } }))
    await agents.bench.waits(id)
    expect(agents.calls).toEqual(['worker', 'grade', 'worker', 'grade'])
    await agents.bench.signal(id, 'approve')
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect(agents.calls).toHaveLength(4)
    expect(await resultOf(id)).toMatchObject({ output: { answer: null, grade: { passed: true, revisions: 1 } } })
  })

  const tool: PlanStep[] = [{ id: 'sum', tool: 'calculator', input: { expression: '390 + 1' } }]

  test('of a tool is graded at the end', async () => {
    const { id, events } = await agents.play({ grade: good }, plan(tool))
    expect(agents.calls).toEqual(['grade'])
    expect(AgentBench.textOf(agents.asked('grade')[0])).toContain('<data name="answer">\n{"result":391}')
    expect(outline(events).slice(-4)).toEqual([
      'step.done succeeded',
      'judge continue step_done',
      'judge stop all_done',
      'succeeded',
    ])
    expect(await resultOf(id)).toMatchObject({ output: { result: 391 } })
  })

  test('of a tool cannot be revised, and a retry does not call it again', async () => {
    const { id, events } = await agents.play({ grade: bad }, plan(tool))
    expect(outline(events).slice(-2)).toEqual(['judge stop rubric_not_met', 'failed rubric_not_met'])
    expect(await agents.bench.include(id, 'failure')).toMatchObject({ message: 'How much?' })
    agents.script({ grade: good })
    await agents.bench.command(id, 'retry')
    const again = await agents.bench.ended(id, 2)
    expect(outline(again).at(-1)).toBe('succeeded')
    expect(ofType(again, 'run.tool.invoked')).toHaveLength(1)
  })

  test('of a tool is graded later if the provider is away, and the run holds no worker until then', async () => {
    agents.script({ grade: [fail('unavailable', { retryAfter: 2 }), good] })
    const id = await agents.bench.create(plan(tool))
    await eventually(() => isParked(id))
    const events = await agents.bench.ended(id)
    expect(outline(events).slice(-3)).toEqual(['judge continue provider_retry', 'judge stop all_done', 'succeeded'])
    expect(agents.calls).toEqual(['grade', 'grade'])
  })

  test('is that of the step after which the judge stops, which is then graded and may be revised', async () => {
    const script = {
      planner: json({ steps: [{ instruction: 'Find it' }, { instruction: 'Write it' }] }),
      worker: [say('A lot.'), say('391 euros.')],
      judge: verdict('stop'),
      grade: [bad, good],
    }
    const { id, events } = await agents.play(script, { ...question, routing_hint: 'require_planning' })
    expect(agents.calls).toEqual(['planner', 'worker', 'judge', 'grade', 'worker', 'judge', 'grade'])
    expect(outline(events).slice(-2)).toEqual(['judge stop steps_skipped', 'succeeded'])
    expect(await resultOf(id)).toMatchObject({ content: '391 euros.' })
  })

  test('of a fork is graded by the rubric of the fork', async () => {
    const steps: PlanStep[] = [
      { id: 'a', instruction: 'Answer' },
      { id: 'gate', await_input: {} },
    ]
    agents.script({ worker: say('391 euros.'), grade: good })
    const id = await agents.bench.create(plan(steps))
    await agents.bench.waits(id)
    agents.script({ grade: bad })
    const body = { from_step: 'a', input: { rubric: 'Names the shop.' } }
    const forked = (
      await agents.bench.acme.post(`/v1/runs/${id}/fork`, body, { 'idempotency-key': 'fork-of-a-rubric' })
    ).json<{ id: string }>().id
    await agents.bench.waits(forked)
    await agents.bench.signal(forked, 'approve')
    expect(outline(await agents.bench.ended(forked)).at(-1)).toBe('failed rubric_not_met')
    expect(AgentBench.textOf(agents.asked('grade')[0])).toContain('Names the shop.')
  })
})

describe('an agent with a rubric', () => {
  const byChecker = (rubricOfRun?: string) => ({
    input: { question: 'Price?', ...(rubricOfRun && { rubric: rubricOfRun }) },
    metadata: { agent: 'checker' },
  })

  test('has each of its steps graded, and is told the rubric', async () => {
    const { events } = await agents.play({ worker: say('391, says the shop.'), grade: [bad, good] }, byChecker())
    expect(agents.calls).toEqual(['worker', 'grade', 'worker', 'grade'])
    expect(agents.asked('worker')[0]?.system).toContain('Your answer is graded. Rubric:\nNames a source.')
    expect(AgentBench.textOf(agents.asked('grade')[0])).toContain('Rubric:\nNames a source.')
    expect(outline(events).at(-1)).toBe('succeeded')
  })

  test('and a run with a rubric: both have to pass, and the worker gets the notes of both', async () => {
    const notes = { agent: 'Which shop?', run: 'How much?' }
    const ofAgent = (request: NeutralRequest) => AgentBench.textOf(request).includes('Names a source.')
    const grade = (request: NeutralRequest) =>
      agents.asked('worker').length > 1
        ? good
        : json({ passes: false, notes: notes[ofAgent(request) ? 'agent' : 'run'] })
    await agents.play({ worker: say('A lot.'), grade }, byChecker(rubric))
    expect(agents.calls).toEqual(['worker', 'grade', 'grade', 'worker', 'grade', 'grade'])
    expect(agents.asked('worker')[1]?.messages.at(-1)?.text).toContain('Which shop?\n\nHow much?')
  })

  test('and a run with a rubric: the one with the fewest revisions left decides', async () => {
    const { events } = await agents.play({ worker: say('A lot.'), grade: bad }, byChecker(rubric))
    expect(agents.asked('worker')).toHaveLength(2)
    expect(outline(events).at(-1)).toBe('failed rubric_not_met')
  })

  test('is listed with it', async () => {
    const { agents: listed } = (await agents.bench.acme.get('/v1/agents')).json<{ agents: object[] }>()
    expect(listed).toMatchObject([
      { name: 'checker', judge: 'never', rubric: { criteria: 'Names a source.', max_revisions: 1 } },
    ])
  })
})

describe('without a grade', () => {
  test('a provider that refuses to grade fails the run, and a retry grades the answer', async () => {
    const { id, events } = await agents.play({ worker: say('391 euros.'), grade: fail('quota_spent') }, question)
    expect(outline(events).at(-1)).toBe('failed judge_unavailable')
    expect(await agents.bench.include(id, 'failure')).toMatchObject({
      message: expect.stringContaining('The judge could not be asked for a grade (provider_quota)'),
    })
    agents.script({ grade: good })
    await agents.bench.command(id, 'retry')
    expect(outline(await agents.bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect(agents.calls).toEqual(['grade'])
  })

  test('a provider that stays away fails the run', async () => {
    await withOwn({ RUNWRIGHT_PROVIDER_RETRY_SECONDS: '1' }, async (own) => {
      const { events } = await own.play({ worker: say('391 euros.'), grade: fail('server_error') }, question)
      expect(outline(events).at(-1)).toBe('failed judge_unavailable')
      expect(own.asked('worker')).toHaveLength(1)
    })
  })

  test.each([
    ['approve', 'succeeded'],
    ['reject', 'failed signal_rejected'],
  ] as const)('RUNWRIGHT_JUDGE_FALLBACK=ask lets a person decide: %s', async (action, last) => {
    await withOwn({ RUNWRIGHT_JUDGE_FALLBACK: 'ask' }, async (own) => {
      own.script({ worker: say('391 euros.'), grade: say('Nice.') })
      const id = await own.bench.create(question)
      await own.bench.waits(id)
      expect(await own.bench.include(id, 'awaiting_input')).toMatchObject({
        reason_code: 'judge_unreadable',
        input_kind: 'approval',
        prompt: expect.stringContaining('Approve to accept the answer of the step'),
      })
      await own.bench.signal(id, action)
      expect(outline(await own.bench.ended(id)).at(-1)).toBe(last)
      expect(own.calls).toEqual(['worker', 'grade', 'grade'])
    })
  })

  test.each(['rule', 'fail'])('RUNWRIGHT_JUDGE_FALLBACK=%s fails the run', async (fallback) => {
    await withOwn({ RUNWRIGHT_JUDGE_FALLBACK: fallback }, async (own) => {
      const { events } = await own.play({ worker: say('391 euros.'), grade: say('Nice.') }, question)
      expect(outline(events).at(-1)).toBe('failed judge_unavailable')
    })
  })

  test('an answer that does not fit the window of the judge is not graded in part', async () => {
    const { id, events } = await agents.play(
      { worker: say('391 euros. '.repeat(50)), grade: fail('context_too_long') },
      question,
    )
    expect(outline(events).at(-1)).toBe('failed judge_unavailable')
    for (const request of agents.asked('grade'))
      expect(AgentBench.textOf(request)).toContain('391 euros. '.repeat(50).trim())
    expect(await agents.bench.include(id, 'failure')).toMatchObject({
      message: expect.stringContaining('context_exceeded'),
    })
  })
})

describe('the limits of a run', () => {
  test('its tokens: a grade that crosses the ceiling ends the run, and is counted', async () => {
    await withOwn({ RUNWRIGHT_TOKEN_CEILING: '5000' }, async (own) => {
      const grade = { ...good, usage: { input: 9_000, output: 1 } } as typeof good
      const { id, events } = await own.play({ worker: say('391 euros.'), grade }, question)
      expect(outline(events).at(-1)).toBe('limit cost_ceiling')
      expect(ofType(events, 'step.done')).toEqual([])
      const { tokens } = await own.bench.include<{ tokens: number }>(id, 'usage')
      expect(tokens).toBeGreaterThan(9_000)
    })
  })

  test('its turns: the answer of the last turn cannot be revised', async () => {
    const { events } = await agents.play(
      { worker: say('A lot.'), grade: bad },
      { ...question, input: { ...question.input, rubric: { criteria: rubric, max_revisions: 10 } } },
    )
    expect(agents.asked('worker')).toHaveLength(3)
    expect(agents.asked('worker')[2]?.messages.at(-1)?.text).toMatch(/How much\?[\s\S]*This is your last turn/)
    expect(outline(events).at(-1)).toBe('failed rubric_not_met')
  })
})

describe('sensitive values', () => {
  const secret = 'Zanzibar-77'
  const tagged = (path: string, rubricOfRun: unknown) => ({
    input: { question: 'Price?', shop: secret, rubric: rubricOfRun },
    metadata: {},
    sensitivity_tags: [{ path, classification: 'pii' }],
  })
  const everything = async (id: string) =>
    JSON.stringify([
      await agents.bench.events(id),
      (await agents.bench.acme.get(`/v1/runs/${id}/turns`)).json(),
      (await agents.bench.acme.get(`/v1/runs/${id}?include=input,steps,failure`)).json(),
      agents.asked('grade').map(({ body }) => body),
      agents.asked('worker').map(({ body }) => body),
    ])

  test('in a rubric are placeholders for the judge, and its notes are scrubbed', async () => {
    const notes = json({ passes: false, notes: `Say that it is ${secret}.` })
    const { id, events } = await agents.play(
      { worker: say('391 euros.'), grade: [notes, good] },
      tagged('$.input.shop', `Names the shop ${secret}.`),
    )
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(AgentBench.textOf(agents.asked('grade')[0])).toMatch(/Rubric:\nNames the shop \{\{secret:/)
    expect(agents.asked('worker')[1]?.messages.at(-1)?.text).toContain('Say that it is ***.')
    expect(await everything(id)).not.toContain(secret)
  })

  test('as a whole rubric leave its number of revisions, and hide the rest', async () => {
    const { id, events } = await agents.play(
      { worker: say('A lot.'), grade: bad },
      tagged('$.input.rubric', { criteria: `Names the shop ${secret}.`, max_revisions: 0 }),
    )
    expect(agents.calls).toEqual(['worker', 'grade'])
    expect(outline(events).at(-1)).toBe('failed rubric_not_met')
    expect(JSON.stringify(agents.asked('grade').map(({ body }) => body))).not.toContain('Names the shop')
    expect(await agents.bench.include(id, 'input')).toMatchObject({ input: { rubric: '***' } })
  })

  test('in the scores of a rubric, which the judge needs, fail the run', async () => {
    const scores = { properties: { good: { type: 'boolean' } } }
    const { id, events } = await agents.play(
      { worker: say('A lot.'), grade: good },
      tagged('$.input.rubric.scores', { scores }),
    )
    expect(outline(events).at(-1)).toBe('failed judge_unavailable')
    expect(agents.calls).toEqual(['worker'])
    expect(await agents.bench.include(id, 'failure')).toMatchObject({
      message: expect.stringContaining('tagged values'),
    })
  })
})
