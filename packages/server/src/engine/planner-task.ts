// A planner step in the shape of a task, so that its failures are settled like those of any step.
import { defaultMaxAttempts } from '@runwright/contract'
import { plannerStepId } from '../domain/run/journal.ts'
import type { NextMove, Task } from '../domain/run/progress.ts'

export const plannerTask = ({ key, agentStep }: Extract<NextMove, { move: 'plan' }>): Task => ({
  key,
  stepId: plannerStepId,
  agentStep,
  planned: false,
  step: {
    kind: 'agent',
    id: plannerStepId,
    dependsOn: [],
    wire: { id: plannerStepId, instruction: 'plan' },
    instruction: 'plan',
    tools: [],
    maxAttempts: defaultMaxAttempts,
    timeoutSeconds: undefined,
    approvalRequired: false,
  },
})
