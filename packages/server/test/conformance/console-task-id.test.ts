// The console derives the ids of tasks from the plan, as the service does.
import { expect, test } from 'vitest'
import { taskIdOf } from '../../../console/src/run/story/task-id.ts'
import { derivedWireId } from '../../src/runtime/derived-ids.ts'
import { newUuid, toWireId } from '../../src/runtime/ids.ts'

test.each([
  [0, 'nordsitz'],
  [3, '#12'],
  [1, 'planner'],
  [0, 'Schritt für Schritt'],
] as const)('generation %d, step %s', (generation, stepId) => {
  const run = newUuid()
  const taskId = derivedWireId('task', run, `${generation}/${stepId}`)
  expect(taskIdOf(toWireId('run', run), generation, stepId)).toBe(taskId)
})
