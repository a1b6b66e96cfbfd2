import type { Turn, TurnMessage } from '@runwright/contract'
import { expect, test } from 'vitest'
import { comparePrompts, nameTurns } from './compare-prompts.ts'

const user = (text: string): TurnMessage => ({ from: 'user', text })

test('a prompt shows what is new, what has changed, and what stays', () => {
  const before = [user('Rules, version 1'), user('Go.')]
  const after = [user('Rules, version 2'), user('Go.'), user('And now?')]
  expect(comparePrompts(after, before).map(({ kind, before: was }) => [kind, was])).toEqual([
    ['changed', 'Rules, version 1'],
    ['same', undefined],
    ['new', undefined],
  ])
})

test('turns are counted for each step and role', () => {
  const turn = (step_id: string, role: string) => ({ step_id, role, task_id: `task_${step_id}` }) as Turn
  const turns = [turn('#2', 'worker'), turn('#2', 'worker'), turn('#2', 'judge'), turn('order', 'worker')]
  const named = nameTurns(turns)
  expect(named.map(({ name }) => name)).toEqual([
    'step 3 · turn 1',
    'step 3 · turn 2',
    'step 3 · turn 1',
    'order · turn 1',
  ])
  expect(named.map(({ previous }) => previous)).toEqual([undefined, turns[0], undefined, undefined])
})
