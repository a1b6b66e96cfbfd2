// The last events of a step: its remaining text, and its end.
import { contentDelta, type StepEnd, type StepOf, stepDone } from '../../runs/step-events.ts'
import type { NewEvent } from '../../store/run-log/run-change.ts'
import type { TaskFailed, TaskSucceeded } from './task-end.ts'

export function endEvents(of: StepOf, end: TaskSucceeded | TaskFailed, done: StepEnd): NewEvent[] {
  const { type, payload } = stepDone(of, done)
  const ended = { type, payload, redacted: end.redacted === true }
  return end.rest === '' ? [ended] : [contentDelta(of, end.rest), ended]
}
