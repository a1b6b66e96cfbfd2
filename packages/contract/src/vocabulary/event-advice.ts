// What a person can do about the end of a run, for every reason code: a new code does not compile without it. The
// console and the docs show it after the sentence of the code.
import type { EventReason } from './event-reasons.ts'
import type { LimitType } from './vocabulary.ts'

interface Advice {
  /** Empty for a code that does not end a run. */
  readonly advice: string
  /** What helps, the best one first. */
  readonly actions: readonly ('retry' | 'resume' | 'run again' | 'run again in class long' | 'edit and run again')[]
}

const later = 'A retry goes on after the steps that are done.'
/** Codes that do not end a run. They are listed so that a new code must be placed. */
const notAnEnd = { advice: '', actions: [] } as const

export const eventAdvice: Readonly<Record<EventReason, Advice>> = {
  provider_error: { advice: `If the cause has passed or is fixed, retry. ${later}`, actions: ['retry'] },
  provider_auth: {
    advice: 'The operator must set a valid API key for the model provider. Then retry.',
    actions: ['retry'],
  },
  provider_quota: { advice: 'Raise the quota or add credit at the provider. Then retry.', actions: ['retry'] },
  provider_rate_limited: { advice: `Retry in a few minutes. ${later}`, actions: ['retry'] },
  provider_unavailable: { advice: `Retry when the provider works again. ${later}`, actions: ['retry'] },
  provider_refused: {
    advice: 'Change the input or the instruction, and run it again.',
    actions: ['edit and run again'],
  },
  context_exceeded: {
    advice: 'Give the run less to read, or split the work into more steps.',
    actions: ['edit and run again'],
  },
  empty_reply: { advice: 'This is often temporary. Retry.', actions: ['retry'] },
  reply_truncated: {
    advice: 'Ask for a shorter answer, or split the step in two.',
    actions: ['edit and run again', 'retry'],
  },
  output_invalid: {
    advice: 'Make the output schema simpler or the instruction clearer. A retry may also help.',
    actions: ['edit and run again', 'retry'],
  },
  output_schema_unusable: {
    advice:
      'Make the output schema smaller or simpler, and run it again. A retry helps only if the limits have changed.',
    actions: ['edit and run again'],
  },
  output_check_limit: {
    advice: 'Use fewer or shorter patterns in the output schema, or ask for a shorter answer.',
    actions: ['edit and run again', 'retry'],
  },
  template_unresolved: {
    advice: 'Correct the template in the plan. A retry cannot help.',
    actions: ['edit and run again'],
  },
  agent_unavailable: { advice: 'Install the agent on the workers, then retry.', actions: ['retry'] },
  model_unavailable: {
    advice: 'The operator must allow the model again; then retry. Or choose another model, and run it again.',
    actions: ['retry', 'edit and run again'],
  },
  tool_unavailable: {
    advice: 'See the message for the tool and the reason. Retry when its server is back or the workers have it.',
    actions: ['retry'],
  },
  tool_failed: { advice: `See the last call of the step for the error of the tool. ${later}`, actions: ['retry'] },
  goal_not_reached: {
    advice: 'Read the decision of the judge below. Change the input, or run it again.',
    actions: ['edit and run again', 'retry'],
  },
  rubric_not_met: {
    advice: 'Read the notes of the judge below. Change the input or the rubric, or allow more revisions.',
    actions: ['edit and run again', 'retry'],
  },
  judge_unavailable: { advice: `Retry when the model of the judge works again. ${later}`, actions: ['retry'] },
  replan_limit: {
    advice: 'Make the goal clearer or smaller: the planner did not find a way.',
    actions: ['edit and run again'],
  },
  step_limit: { advice: 'Give the run a plan, or a smaller goal.', actions: ['edit and run again'] },
  cassette_mismatch: { advice: 'Record the run again, or replay with the code that recorded it.', actions: [] },
  cassette_missing: { advice: 'Record a run with this input first.', actions: [] },
  signal_rejected: {
    advice: 'See the answer below for the reason. Change the input, and run it again.',
    actions: ['edit and run again'],
  },
  signal_timeout: { advice: 'Run it again, and answer in time.', actions: ['run again'] },
  internal_error: {
    advice: 'The operator finds the error in the log of the service. A retry may help.',
    actions: ['retry'],
  },
  heartbeat_lost: {
    advice: 'The process that executed the run died or lost its connection. Resume, and another one goes on.',
    actions: ['resume'],
  },
  crashes_worker: {
    advice:
      'The run is not recovered any more. The operator finds in the log of the service what the process was doing. Correct the tool or the input, then resume or run it again.',
    actions: ['resume', 'edit and run again'],
  },
  lease_lost: {
    advice: 'The process that executed the run was too slow to renew its lease. Resume, and another one goes on.',
    actions: ['resume'],
  },
  step_timeout: {
    advice:
      'Resume to try the step again. If it needs more time, raise its timeout_seconds, up to the step timeout of the service, or let the operator raise RUNWRIGHT_STEP_TIMEOUT_SECONDS.',
    actions: ['resume', 'edit and run again'],
  },
  plan_ready: notAnEnd,
  plan_unusable: notAnEnd,
  step_done: notAnEnd,
  all_done: notAnEnd,
  steps_skipped: notAnEnd,
  plan_goes_on: notAnEnd,
  nothing_left: notAnEnd,
  judge_unreadable: notAnEnd,
  turn_limit: notAnEnd,
  revision_requested: notAnEnd,
  retry_step: notAnEnd,
  step_failed: notAnEnd,
  replan_requested: notAnEnd,
  step_misplanned: notAnEnd,
  provider_retry: notAnEnd,
  tool_retry: notAnEnd,
  model_fallback: notAnEnd,
  context_compacted: notAnEnd,
  input_required: notAnEnd,
  approval_required: notAnEnd,
  tool_outcome_unknown: notAnEnd,
  tool_not_allowed: notAnEnd,
  denied_by_policy: notAnEnd,
  denied_by_person: notAnEnd,
  edit_not_allowed: notAnEnd,
  address_not_allowed: notAnEnd,
  scheme_not_allowed: notAnEnd,
}

export const limitAdvice: Readonly<Record<LimitType, Advice & { readonly sentence: string }>> = {
  cost_ceiling: {
    sentence: 'The run used up its tokens.',
    advice: 'Run it again in a class with a higher limit, or give it less to do.',
    actions: ['run again in class long', 'edit and run again'],
  },
  duration_limit: {
    sentence: 'The run took longer than its class allows.',
    advice: 'Run it again in a class with more time, or give it less to do.',
    actions: ['run again in class long', 'edit and run again'],
  },
}
