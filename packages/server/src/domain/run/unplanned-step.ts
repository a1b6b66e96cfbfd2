// A step of a run without a plan: an agent step with the defaults of the service.
import { defaultMaxAttempts } from '@runwright/contract'
import type { ResolvedAgentStep } from '../plan/plan.ts'

/** An empty instruction: do what the input asks for. */
export const unplannedStep = (id: string, instruction: string): ResolvedAgentStep => ({
  kind: 'agent',
  id,
  dependsOn: [],
  wire: { id, instruction },
  instruction,
  tools: undefined,
  outputSchema: undefined,
  maxAttempts: defaultMaxAttempts,
  timeoutSeconds: undefined,
  approvalRequired: false,
})
