import { expect, test } from 'vitest'
import type { StoryDecision } from './story.ts'
import { needsSentence, toldDecisions } from './told-decisions.ts'

const decision = (type: StoryDecision['type'], reasonCode: string, words?: string): StoryDecision => ({
  seq: 1,
  at: '2026-11-17T10:00:00.000Z',
  role: 'judge',
  type,
  reasonCode,
  words,
})

test.each([
  ['only goes on', decision('continue', 'step_done')],
  ['repeats its code', decision('continue', 'step_done', 'step_done')],
  ['has a plan', decision('continue', 'plan_ready')],
  ['ends because all is done', decision('stop', 'all_done')],
  ['asks what the page asks', decision('await_input', 'approval_required')],
])('a decision that %s is not shown', (_, one) => {
  expect(toldDecisions([one])).toEqual({ told: [], details: [] })
})

test('what the judge wrote about a step that it let pass is in the details', () => {
  const passed = decision('continue', 'step_done', 'Both totals are right.')
  expect(toldDecisions([passed])).toEqual({ told: [], details: [passed] })
})

test.each([
  ['another attempt', decision('continue', 'retry_step', 'The total is missing.')],
  ['another model', decision('continue', 'model_fallback')],
  ['a new plan', decision('replan', 'replan_requested')],
  ['a question with a reason', decision('await_input', 'input_required', 'The account is missing.')],
  ['a plan that goes on', decision('continue', 'plan_goes_on', 'The goal is reached.')],
  ['an end that skips steps', decision('stop', 'steps_skipped')],
  ['an end with words', decision('stop', 'all_done', 'The goal is reached.')],
])('%s is told', (_, one) => {
  expect(toldDecisions([one])).toEqual({ told: [one], details: [] })
})

test('where the judge is overruled, its words are not enough', () => {
  const codes = ['step_done', 'all_done', 'replan_requested', 'plan_goes_on', 'steps_skipped', 'nothing_left']
  expect(codes.filter(needsSentence)).toEqual(['plan_goes_on', 'steps_skipped', 'nothing_left'])
})
