// scenarios/run-steps.test.ts asks a service for the steps of its runs. Here are the moments that are hard to meet.
import { expect, test } from 'vitest'
import { type FakeOptions, fakeProgress } from '../../../test/support/fake-execution.ts'
import { parsePlan } from '../plan/plan.ts'
import { journalEntry } from './journal.ts'
import { PlacedPlan } from './placed-plan.ts'
import { describeSteps, type StepSources, type StepTrace } from './steps.ts'

const at = (second: number) => new Date(second * 1_000)
const agent = (id: string, ...depends_on: string[]) => ({ id, instruction: `do ${id}`, depends_on })
const gate = (id: string, ...depends_on: string[]) => ({ id, await_input: { prompt: 'Ok?' }, depends_on })
const done = (key: string) =>
  journalEntry('done', key, {
    ...{ stepId: key.slice(key.indexOf('/') + 1), kind: 'agent', content: `result of ${key}` },
    ...{ output: null, redacted: false, order: 0 },
  })
/** A step that began and, if it has ended, succeeded. */
const trace = (begun: number, ended?: number): StepTrace => ({
  begunAt: at(begun),
  ends: ended === undefined ? [] : [{ at: at(ended), outcome: 'succeeded', content: 'Well done.', error: undefined }],
})

interface Known extends Partial<Omit<StepSources, 'progress' | 'plans' | 'traceOf'>> {
  readonly traces?: Readonly<Record<string, StepTrace>>
}

function stepsOf(options: FakeOptions, { traces = {}, ...known }: Known) {
  const accepted = { agents: { has: () => true, names: [] } }
  const placed = (generation: number, plan: unknown) =>
    [generation, new PlacedPlan(parsePlan(plan, { has: () => true }, accepted), { generation })] as const
  const later = (options.journal ?? []).filter(({ key }) => key.startsWith('plan:'))
  return describeSteps({
    ...{ state: 'running', waitsSince: undefined, goesOnSince: at(1), endReason: 'cancelled', ...known },
    answerTo: known.answerTo ?? (() => undefined),
    progress: fakeProgress(options),
    plans: new Map([
      ...(options.plan ? [placed(0, options.plan)] : []),
      ...later.map(({ key, body }) => placed(Number(key.slice('plan:'.length)), body)),
    ]),
    traceOf: (key) => traces[key] ?? { begunAt: undefined, ends: [] },
  })
}
const statesOf = (...given: Parameters<typeof stepsOf>) => stepsOf(...given).map(({ id, state }) => `${id} ${state}`)

test('while a gate is open, those before it have ended, and those behind it have not begun', () => {
  const plan = { steps: [agent('draft'), gate('ask', 'draft'), agent('send', 'ask'), gate('again', 'send')] }
  const known: Known = { state: 'awaiting_input', waitsSince: at(5), traces: { '0/draft': trace(2, 4) } }
  expect(stepsOf({ plan, journal: [done('0/draft')] }, known)).toMatchObject([
    { id: 'draft', kind: 'agent', state: 'succeeded', attempts: 1, startedAt: at(2), endedAt: at(4) },
    { id: 'ask', kind: 'gate', state: 'waiting', attempts: 1, startedAt: at(5), endedAt: undefined },
    { id: 'send', kind: 'agent', state: 'pending', attempts: 0, startedAt: undefined, endedAt: undefined },
    { id: 'again', kind: 'gate', state: 'pending', attempts: 0, startedAt: undefined, endedAt: undefined },
  ])
})

test('a step that needs approval waits with the run, and does not when the run does not', () => {
  const plan = { steps: [{ ...agent('pay'), approval: 'required' as const }] }
  expect(stepsOf({ plan }, { state: 'awaiting_input' })).toMatchObject([{ state: 'waiting', attempts: 0 }])
  expect(stepsOf({ plan }, { state: 'running' })).toMatchObject([{ state: 'pending', attempts: 0 }])
})

test('a step of which nothing is known has begun when the run went on and what it needs had ended', () => {
  const plan = { steps: [agent('a'), agent('other'), agent('b', 'a')] }
  const traces = { '0/a': trace(2, 5), '0/other': trace(2, 9) }
  const b = (goesOnSince: Date) =>
    stepsOf({ plan, journal: [done('0/a'), done('0/other')] }, { goesOnSince, traces }).at(-1)
  expect(b(at(1))).toMatchObject({ state: 'running', attempts: 1, startedAt: at(5) })
  expect(b(at(7))).toMatchObject({ startedAt: at(7) })
})

test('a run that waits for a worker has no running step', () => {
  expect(statesOf({ plan: { steps: [agent('a')] } }, { state: 'queued' })).toEqual(['a pending'])
  expect(statesOf({ plan: { steps: [agent('a')] } }, { state: 'stalled' })).toEqual(['a pending'])
})

test('while a planner works on another plan, what had begun goes on, and the rest is open', () => {
  const journal = [done('0/a'), journalEntry('replan', '1', { begun: ['0/b'] })]
  const options = { plan: { steps: [agent('a'), agent('b'), agent('c'), agent('d')] }, journal }
  expect(statesOf(options, { traces: { '0/c': trace(3) } })).toEqual([
    ...['a succeeded', 'b running', 'c running', 'd pending'],
    'planner running',
  ])
})

test('a step of a plan that was replaced may still be executing', () => {
  const steps = { version: 'v2' as const, steps: [agent('x')] }
  const journal = [journalEntry('replan', '1', {}), journalEntry('plan', '1', steps)]
  const options = { plan: { steps: [agent('a'), agent('b')] }, journal }
  expect(statesOf(options, { traces: { '0/a': trace(2) } })).toEqual(['a running', 'b skipped', 'x running'])
})

test('without a plan, they are listed up to the one that is executed', () => {
  expect(statesOf({ journal: [done('0/#0')] }, {})).toEqual(['#0 succeeded', '#1 running'])
})

test('of a run that ended long ago, events tell that it was planned again', () => {
  const traces = { '0/a': trace(1, 2), '1/planner': trace(3, 4), '1/#0': trace(5, 6), '2/planner': trace(7, 8) }
  const known: Known = { state: 'succeeded', traces }
  expect(stepsOf({ plan: { steps: [agent('a')] } }, known).map(({ key, kind }) => `${key} ${kind}`)).toEqual([
    ...['0/a agent', '1/planner planner', '1/#0 agent', '2/planner planner'],
  ])
})
