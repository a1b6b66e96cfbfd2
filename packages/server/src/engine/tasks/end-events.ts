// The last events of a step: its remaining text, and its end.
import { contentDelta, type StepEnd, type StepOf, stepDone } from '../../runs/step-events.ts'
import type { NewEvent } from '../../store/run-log/run-change.ts'
import type { TaskFailed, TaskSucceeded } from './task-end.ts'

export function endEvents(of: StepOf, end: TaskSucceeded | TaskFailed, done: StepEnd): NewEvent[] {
  const ended = { ...stepDone(of, done), redacted: end.redacted === true }
  return [...(end.rest === '' ? [] : [contentDelta(of, end.rest)]), ended]
}
