import { describe, expect, test } from 'vitest'
import { type FakeOptions, fakeProgress } from '../../../test/support/fake-execution.ts'
import type { Answer } from './answer-log.ts'
import { journalEntry } from './journal.ts'
import type { Wait } from './next-move.ts'
import type { RunProgress } from './progress.ts'

const agent = (id: string, part: object = {}) => ({ id, instruction: `do ${id}`, ...part })
const gate = (id: string, part: object = {}) => ({
  id,
  await_input: { prompt: 'Ok?', input_kind: 'approval' as const },
  ...part,
})
const done = (key: string, order = 0, part: object = {}) =>
  journalEntry('done', key, {
    stepId: key.slice(key.indexOf('/') + 1),
    kind: 'agent',
    content: `result of ${key}`,
    output: null,
    redacted: false,
    order,
    ...part,
  })
const answer = (waitKey: string, part: Partial<Answer> = {}): Answer => ({
  action: 'approve',
  payload: null,
  waitKey,
  ...part,
})
const planOf = (...ids: string[]) => ({ version: 'v2' as const, steps: ids.map((id) => agent(id)) })

const keysOf = (progress: RunProgress, executing: readonly string[] = []) => {
  const move = progress.next(new Set(executing))
  return move.kind === 'work' ? move.tasks.map(({ key }) => key) : move.kind
}
const next = (options: FakeOptions, executing: readonly string[] = []) => keysOf(fakeProgress(options), executing)

describe('with a plan', () => {
  const plan = {
    steps: [agent('a', { depends_on: [] }), agent('b', { depends_on: [] }), agent('c', { depends_on: ['a', 'b'] })],
  }

  test('steps start when what they depend on is done', () => {
    expect(next({ plan })).toEqual(['0/a', '0/b'])
    expect(next({ plan }, ['0/a'])).toEqual(['0/b'])
    expect(next({ plan, journal: [done('0/a')] }, ['0/b'])).toEqual([])
    expect(next({ plan, journal: [done('0/a'), done('0/b')] })).toEqual(['0/c'])
    expect(next({ plan, journal: [done('0/a'), done('0/b'), done('0/c')] })).toBe('finish')
  })

  test('agent steps are counted over the plan, and tool steps are not', () => {
    const steps = [
      agent('a', { depends_on: [] }),
      { id: 't', tool: 'x', depends_on: [] },
      agent('b', { depends_on: [] }),
    ]
    const move = fakeProgress({ plan: { steps } }).next(new Set())
    expect(move).toMatchObject({ tasks: [{ agentStep: 0 }, { agentStep: 1 }, { agentStep: 1 }] })
  })

  test('the remaining steps and the last step are known', () => {
    const progress = fakeProgress({ plan, journal: [done('0/a')] })
    expect([progress.stepsLeft('0/b'), progress.isLast('0/b')]).toEqual([1, false])
    const later = fakeProgress({ plan, journal: [done('0/a'), done('0/b')] })
    expect([later.stepsLeft('0/c'), later.isLast('0/c'), later.isStepDone('a'), later.isStepDone('c')]).toEqual([
      0,
      true,
      true,
      false,
    ])
  })

  test('the last step with a result gives that of the run, whatever gates follow', () => {
    const steps = [agent('a'), agent('b'), gate('g')]
    const results = (journal: ReturnType<typeof done>[]) => {
      const progress = fakeProgress({ plan: { steps }, journal })
      return [progress.givesResult('0/a'), progress.givesResult('0/b')]
    }
    expect(results([])).toEqual([false, false])
    expect(results([done('0/a')])).toEqual([false, true])
  })

  test('finished steps are in the order in which they ended', () => {
    const { finished } = fakeProgress({ plan, journal: [done('0/b', 1), done('0/a', 0)] })
    expect(finished.map(({ stepId }) => stepId)).toEqual(['a', 'b'])
  })
})

describe('gates and approvals', () => {
  const plan = { steps: [gate('g'), agent('a', { approval: 'required', depends_on: ['g'] })] }

  test('the run waits for a gate, and the answer is its output', () => {
    expect(fakeProgress({ plan }).next(new Set())).toEqual({
      kind: 'work',
      tasks: [],
      wait: { key: 'gate:0/g', reasonCode: expect.any(String), inputKind: 'approval', prompt: 'Ok?' },
    })
    const answers = [answer('gate:0/g', { action: 'submit_input', payload: { n: 4 } })]
    expect(fakeProgress({ plan, answers }).results().get('g')).toEqual({ content: undefined, output: { n: 4 } })
  })

  test('a step that needs approval waits for it', () => {
    const answers = [answer('gate:0/g')]
    expect(fakeProgress({ plan, answers }).next(new Set())).toMatchObject({ tasks: [], wait: { key: 'approval:0/a' } })
    expect(next({ plan, answers: [...answers, answer('approval:0/a')] })).toEqual(['0/a'])
  })

  test('an approval says what it approves, and carries the step', () => {
    const { wait } = fakeProgress({ plan, answers: [answer('gate:0/g')] }).next(new Set()) as { wait: Wait }
    expect(wait).toMatchObject({
      prompt: 'May this step start: do a',
      before: { key: '0/a', step: { id: 'a', kind: 'agent' } },
    })
  })

  test('templates do not see an answer that only decides about a call', () => {
    const submitted = answer('gate:0/g', { action: 'submit_input', payload: { n: 4 } })
    const signalAfter = (...later: Answer[]) =>
      fakeProgress({ plan, answers: [submitted, ...later] }).answers.lastSignal?.payload
    expect(signalAfter(answer('ask:c1:ff'))).toEqual({ n: 4 })
    expect(signalAfter(answer('ask:c1:ff', { action: 'reject', payload: 'no' }))).toEqual({ n: 4 })
    expect(signalAfter(answer('outcome:c1:1', { action: 'submit_input', payload: 'paid' }))).toEqual({ n: 4 })
    expect(signalAfter(answer('ask:c1:ff', { action: 'submit_input', payload: 5 }))).toBe(5)
    expect(signalAfter(answer('approval:0/a', { payload: 6 }))).toBe(6)
  })

  test('a rejection does not open a gate', () => {
    const progress = fakeProgress({ plan, answers: [answer('gate:0/g', { action: 'reject' })] })
    expect(progress.next(new Set())).toMatchObject({ tasks: [], wait: { key: 'gate:0/g' } })
    expect(progress.answers.all.at(-1)).toMatchObject({ action: 'reject' })
    expect(progress.answers.to('gate:0/g')).toBeUndefined()
  })

  test('the question of a wait is known', () => {
    const steps = [
      gate('g'),
      agent('a', { approval: 'required' }),
      { id: 't', tool: 'x', approval: 'required' as const },
    ]
    const asked = { reasonCode: 'x', inputKind: null, prompt: 'Which?', isLast: false }
    const progress = fakeProgress({ plan: { steps }, journal: [journalEntry('await', '0/a', asked)] })
    const keys = ['gate:0/g', 'approval:0/a', 'approval:0/t', 'after:0/a', 'ask:c1:ff']
    expect(keys.map((key) => progress.questionOf(key))).toEqual([
      'Ok?',
      'May this step start: do a',
      'May the tool x be called?',
      'Which?',
      undefined,
    ])
  })
})

describe('without a plan', () => {
  test('steps run one after another', () => {
    expect(next({})).toEqual(['0/#0'])
    expect(next({}, ['0/#0'])).toEqual([])
    const progress = fakeProgress({ journal: [done('0/#0')] })
    expect(keysOf(progress)).toEqual(['0/#1'])
    expect([progress.unplannedSteps, progress.isLast('0/#1'), progress.stepsLeft('0/#1')]).toEqual([
      1,
      undefined,
      undefined,
    ])
  })

  test('what the judge wants done is the instruction of the next step', () => {
    const journal = [done('0/#0'), journalEntry('next', '0/#0', { instruction: 'Now pay it.' })]
    expect(fakeProgress({ journal }).next(new Set())).toMatchObject({
      tasks: [{ step: { instruction: 'Now pay it.' }, agentStep: 1 }],
    })
    expect(fakeProgress({ journal: [done('0/#0')] }).next(new Set())).toMatchObject({
      tasks: [{ step: { instruction: '' } }],
    })
  })

  test('the answer to a last question finishes the run', () => {
    const asked = (isLast: boolean) => ({
      journal: [
        done('0/#0'),
        journalEntry('await', '0/#0', { reasonCode: 'x', inputKind: null, prompt: null, isLast }),
      ],
    })
    expect(fakeProgress(asked(true)).next(new Set())).toMatchObject({ tasks: [], wait: { key: 'after:0/#0' } })
    expect(next({ ...asked(true), answers: [answer('after:0/#0')] })).toBe('finish')
    expect(next({ ...asked(false), answers: [answer('after:0/#0')] })).toEqual(['0/#1'])
  })

  test('a wait that no longer needs an answer is skipped', () => {
    const asked = journalEntry('await', '0/#0', { reasonCode: 'x', inputKind: null, prompt: null, isLast: false })
    const journal = [done('0/#0'), asked, journalEntry('resolved', 'after:0/#0', {})]
    expect(next({ journal })).toEqual(['0/#1'])
  })
})

describe('a planner', () => {
  test('is due first if the run starts with one', () => {
    const progress = fakeProgress({ startsWithPlanner: true })
    expect(progress.next(new Set())).toEqual({ kind: 'plan', generation: 1, key: '1/planner', agentStep: 0 })
    expect([progress.replans, progress.replanReasons, progress.isPlannersPlan]).toEqual([0, [], false])
  })

  test('its plan becomes the current one', () => {
    const progress = fakeProgress({ startsWithPlanner: true, journal: [journalEntry('plan', '1', planOf('a'))] })
    expect(keysOf(progress)).toEqual(['1/a'])
    expect(progress.isPlannersPlan).toBe(true)
    expect(fakeProgress({ plan: planOf('a') }).isPlannersPlan).toBe(false)
  })

  test('without a usable plan: the run continues without one, under its generation', () => {
    const progress = fakeProgress({ startsWithPlanner: true, journal: [journalEntry('unplanned', '1', {})] })
    expect(keysOf(progress)).toEqual(['1/#0'])
    expect([progress.generation, progress.isCurrent('1/#0'), progress.isCurrent('0/#0')]).toEqual([1, true, false])
  })

  test('replans with the reason, and the count of agent steps continues', () => {
    const journal = [done('0/a'), done('0/t', 1, { kind: 'tool' }), journalEntry('replan', '1', { reason: 'Closed.' })]
    const progress = fakeProgress({ plan: planOf('a', 'b'), journal })
    expect(progress.next(new Set())).toEqual({ kind: 'plan', generation: 1, key: '1/planner', agentStep: 1 })
    expect([progress.replans, progress.replanReasons, progress.plan]).toEqual([1, ['Closed.'], undefined])
  })

  test('is told of every step of the plan before that could not be executed, and only of those', () => {
    const broken = (key: string, reason: string) => journalEntry('broken', key, { reason })
    const journal = [
      journalEntry('replan', '1', { reason: 'No value in a.' }),
      ...[broken('0/a', 'No value in a.'), broken('0/b', 'No value in b.'), broken('1/c', 'Not yet.')],
    ]
    const progress = fakeProgress({ plan: planOf('a', 'b'), journal })
    expect(progress.replanReasons).toEqual(['No value in a.', 'No value in b.'])
    expect(['a', 'b'].map((id) => progress.planBefore()?.isBroken?.(id))).toEqual([true, true])
  })

  test('the order of the entries does not matter', () => {
    const entries = [
      journalEntry('plan', '2', planOf('z')),
      journalEntry('replan', '2', {}),
      journalEntry('plan', '1', planOf('y')),
      journalEntry('replan', '1', {}),
    ]
    for (const journal of [entries, entries.toReversed()]) {
      const progress = fakeProgress({ plan: planOf('a'), journal })
      expect([keysOf(progress), progress.replans]).toEqual([['2/z'], 2])
    }
  })

  test('an unusable plan that a later plan replaced changes nothing, in any order', () => {
    const entries = [
      journalEntry('unplanned', '1', {}),
      journalEntry('replan', '2', {}),
      journalEntry('plan', '2', planOf('z')),
    ]
    for (const journal of [entries, entries.toReversed()])
      expect(next({ startsWithPlanner: true, journal })).toEqual(['2/z'])
  })

  test('an unusable plan after a replan, in any order', () => {
    const entries = [journalEntry('unplanned', '1', {}), journalEntry('replan', '1', {})]
    for (const journal of [entries, entries.toReversed()])
      expect(next({ plan: planOf('a'), journal })).toEqual(['1/#0'])
  })
})

describe('failures', () => {
  test('are counted in total and in this attempt of the run', () => {
    const journal = [
      journalEntry('fail', '0/a:0', { attempt: 1 }),
      journalEntry('fail', '0/a:1', { attempt: 0 }),
      journalEntry('fail', '0/b:0', { attempt: 1 }),
    ]
    expect(fakeProgress({ journal }).failuresOf('0/a')).toEqual({ total: 2, inAttempt: 1 })
    expect(fakeProgress({ journal }).failuresOf('0/c')).toEqual({ total: 0, inAttempt: 0 })
  })
})

describe('what a fork kept', () => {
  const plan = { steps: [agent('a'), gate('g'), agent('b', { approval: 'required' }), agent('c')] }
  const call = journalEntry('call', 'call_1', { name: 'x', effect: 'read', touches: ['untrusted'] })
  const entries = [done('0/a'), call].map((entry) => ({ ...entry, seq: 0 }))
  const signal = { payload: { n: 1 }, seq: 0 }

  test('is done, answered and known to the policy', () => {
    const kept = { entries, answers: [{ ...answer('gate:0/g'), ...signal }] }
    const progress = fakeProgress({ plan, journal: [journalEntry('kept', 'run', kept)] })
    expect(progress.next(new Set())).toMatchObject({ tasks: [], wait: { key: 'approval:0/b' } })
    expect(progress.finished.map(({ stepId }) => stepId)).toEqual(['a'])
    expect(progress.results().get('g')?.output).toEqual({ n: 1 })
    expect([...progress.turns.touched]).toEqual(['untrusted'])
  })

  test('comes before its own answers', () => {
    const kept = { entries, answers: [{ ...answer('gate:0/g'), ...signal }] }
    const answers = [answer('approval:0/b', { payload: { n: 2 } })]
    const progress = fakeProgress({ plan, journal: [journalEntry('kept', 'run', kept)], answers })
    expect(progress.answers.lastSignal?.payload).toEqual({ n: 2 })
    expect(keysOf(progress)).toEqual(['0/b'])
  })
})

describe('after the judge has said stop', () => {
  const plan = { steps: ['a', 'b', 'c'].map((id) => agent(id, { depends_on: [] })) }
  const stop = journalEntry('stop', '0/a', { executing: ['0/b'] })

  test('running tasks run to their end, and no others start', () => {
    const progress = fakeProgress({ plan, journal: [done('0/a'), stop] })
    expect([progress.isStopping, progress.hasSkipped, progress.isLast('0/b')]).toEqual([true, true, true])
    expect(keysOf(progress)).toEqual(['0/b'])
    expect(next({ plan, journal: [done('0/a'), stop, done('0/b')] })).toBe('finish')
  })

  test('so do those that the plan does not do without, with their questions', () => {
    const steps = [agent('a'), agent('b', { depends_on: ['a'] }), gate('g', { depends_on: ['a'] })]
    const journal = [
      journalEntry('plan', '1', { version: 'v2', steps }),
      done('1/a'),
      journalEntry('stop', '1/a', { executing: [], required: ['1/g'], generation: 1 }),
    ]
    const asked = fakeProgress({ startsWithPlanner: true, journal })
    expect(asked.next(new Set())).toMatchObject({ tasks: [], wait: { key: 'gate:1/g' } })
    expect(next({ startsWithPlanner: true, journal, answers: [answer('gate:1/g')] })).toBe('finish')
  })

  test('a later plan begins anew', () => {
    const journal = [done('0/a'), stop, journalEntry('replan', '1', {}), journalEntry('plan', '1', planOf('x'))]
    expect(next({ plan, journal })).toEqual(['1/x'])
  })

  test('it is known which steps a stop leaves out', () => {
    const progress = fakeProgress({ plan })
    expect(progress.afterStop('0/a', [])).toEqual({ required: ['0/b', '0/c'], skips: false })
    const planners = fakeProgress({ startsWithPlanner: true, journal: [journalEntry('plan', '1', planOf('a', 'b'))] })
    expect(planners.afterStop('1/a', [])).toEqual({ required: [], skips: true })
    expect(planners.afterStop('1/a', ['1/b'])).toEqual({ required: [], skips: false })
    expect(fakeProgress({}).afterStop('0/#0', [])).toEqual({ required: [], skips: false })
  })
})

describe('a plan that took over steps of the one before', () => {
  const plan = { steps: [agent('a'), gate('g'), agent('b', { approval: 'required' })] }
  const steps = [agent('a', { depends_on: [] }), agent('x', { depends_on: [] }), ...plan.steps.slice(1)]
  const journal = [
    done('0/a'),
    journalEntry('replan', '1', {}),
    journalEntry('plan', '1', { version: 'v2', steps }),
    journalEntry('carried', '1', { steps: [...['a', 'g', 'b'].map((id) => [id, 0] as const)] }),
  ]

  test('knows what they have done, and counts their agent steps once', () => {
    const progress = fakeProgress({ plan, journal })
    expect(progress.next(new Set())).toMatchObject({ tasks: [{ key: '1/x', agentStep: 1 }], wait: undefined })
    expect([progress.isStepDone('a'), progress.isClients(progress.keyOf('g'))]).toEqual([true, true])
    expect(progress.isClients(progress.keyOf('x'))).toBe(false)
  })

  test('in any order of the entries', () => {
    for (const entries of [journal, journal.toReversed()]) expect(next({ plan, journal: entries })).toEqual(['1/x'])
  })

  test('asks their questions under their own keys, and knows the answers', () => {
    const later = [...journal, done('1/x', 1)]
    const progress = fakeProgress({ plan, journal: later })
    expect(progress.next(new Set())).toMatchObject({ wait: { key: 'gate:0/g' } })
    expect(progress.questionOf('gate:0/g')).toBe('Ok?')
    const answers = [answer('gate:0/g', { payload: 7 })]
    expect(fakeProgress({ plan, journal: later, answers }).next(new Set())).toMatchObject({
      wait: { key: 'approval:0/b' },
    })
    expect(fakeProgress({ plan, journal: later, answers }).results().get('g')?.output).toBe(7)
    const approved = fakeProgress({ plan, journal: later, answers: [...answers, answer('approval:0/b')] })
    expect(approved.next(new Set())).toMatchObject({ tasks: [{ key: '0/b', agentStep: 2 }] })
  })

  test('asks what the judge wants to know after one of them', () => {
    const asked = { reasonCode: 'x', inputKind: null, prompt: 'Which?', isLast: false }
    const later = [...journal, done('1/x', 1), done('0/b', 2), journalEntry('await', '0/b', asked)]
    expect(fakeProgress({ plan, journal: later }).next(new Set())).toMatchObject({ wait: { key: 'after:0/b' } })
  })

  test('passes them on to the next plan', () => {
    const before = fakeProgress({ plan, journal: [...journal, journalEntry('replan', '2', {})] }).planBefore()
    expect(
      before?.steps.map(({ id }) => [id, before.generationOf(id), before.isDone(id), before.isClients(id)]),
    ).toEqual([
      ['a', 0, true, true],
      ['x', 1, false, false],
      ['g', 0, false, true],
      ['b', 0, false, true],
    ])
  })
})
