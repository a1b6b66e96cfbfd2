// The call of a step that a person approves before it starts. If policy asks about it as well, it is one question.

import { areDecidedAlike } from '../../domain/plan/approval-rules.ts'
import { fillTemplates } from '../../domain/plan/fill-templates.ts'
import type { ResolvedToolStep } from '../../domain/plan/plan.ts'
import type { TaskKey } from '../../domain/run/journal.ts'
import type { Wait } from '../../domain/run/next-move.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { askedCall } from './asked-call.ts'
import { ruleOn } from './call-policy.ts'
import { prepareCall } from './prepared-call.ts'
import { stepCall } from './step-call.ts'

const planned = 'The plan requires approval before this step.'

/**
 * What the question shows of the call. The payload of the answer can be part of the input (`{{signal.payload}}`). Such
 * an input, and one that cannot be filled in, is shown as written and has no hash.
 */
export function* plannedCall(
  context: ExecutionContext,
  key: TaskKey,
  step: ResolvedToolStep,
): Generator<void, Pick<Wait, 'call'> & Partial<Pick<Wait, 'prompt' | 'rules'>>> {
  const filled = fillTemplates(step.input, { ...context.inputs.templateScope(), signal: undefined })
  const call = yield* stepCall(context, { key, step, input: filled.ok ? filled.value : step.input })
  const asked = askedCall(context, call, planned)
  if (!filled.ok) return { call: { ...asked, argumentsHash: null } }
  const { own } = context.agents
  const ruling = ruleOn(context, prepareCall(context, call, own?.tools && new Set(own.tools)))
  if (ruling.rule !== 'ask') return { call: asked }
  const { prompt, call: ruled = asked, rules } = ruling.wait
  // Others decide about the call than about the step: they are asked on their own.
  if (rules && step.approval && !areDecidedAlike(rules, step.approval)) return { call: asked }
  return {
    prompt,
    call: { ...ruled, why: `${ruled.why} ${planned}` },
    ...(rules && { rules: { ...rules, ...step.approval } }),
  }
}
