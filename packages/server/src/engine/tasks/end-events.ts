// The last events of a step: its remaining text, and its end.
import { contentDelta, type StepEnd, stepDone } from '../../runs/step-events.ts'
import type { NewEvent } from '../../store/run-log/run-change.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { TaskFailed, TaskSucceeded } from './task-end.ts'

export function endEvents(context: ExecutionContext, end: TaskSucceeded | TaskFailed, done: StepEnd): NewEvent[] {
  const of = context.stepOf(end.task.key)
  const ended = { ...stepDone(of, done), redacted: end.redacted === true }
  return [...(end.rest === '' ? [] : [contentDelta(of, end.rest)]), ended]
}
