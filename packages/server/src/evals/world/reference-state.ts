// The state that a trial should end in: that of a fresh world after the reference actions of the case.
import { randomUUID } from 'node:crypto'
import { invokeTool } from '../../tools/port/invoke.ts'
import type { Action } from '../cases/check.ts'
import { EvaluationError } from '../cases/evaluation-error.ts'
import type { Worlds } from './worlds.ts'

/** Throws an EvaluationError if an action fails: the case would expect a state that cannot be reached. */
export async function referenceState(worlds: Worlds, actions: readonly Action[], subject: string): Promise<unknown> {
  const context = referenceContext()
  const world = await worlds.open(context.customerId)
  const catalogue = { find: (name: string) => worlds.tools.find((tool) => tool.name === name) }
  for (const { name, with: input = {} } of actions) {
    const result = await invokeTool({ catalogue, name, input, allowed: undefined, context })
    if (result.outcome === 'succeeded') continue
    const why = 'message' in result ? result.message : 'it was aborted'
    throw new EvaluationError(`${subject}: the action ${name} of state_after failed: ${why}`)
  }
  worlds.close(context.customerId)
  return world.snapshot()
}

const referenceContext = () => ({
  signal: new AbortController().signal,
  customerId: randomUUID(),
  workspaceId: null,
  subjectId: null,
  runId: randomUUID(),
  toolCallId: 'call_reference',
  idempotencyKey: randomUUID(),
  beforeSend: () => undefined,
})
