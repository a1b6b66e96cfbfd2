// Every reason code that the service itself writes into events, with one sentence for people. A gate of a client's plan
// and the sandbox's script may name codes of their own; those are not listed here.

export const eventReasons = {
  // run.worker.failed, and step.done with `fail_run`
  provider_error: 'The model provider refused the request.',
  provider_auth: 'The model provider refused the API key.',
  provider_quota: 'The quota or credit at the model provider is used up.',
  provider_rate_limited: 'The model provider kept limiting the rate of requests until the service gave up.',
  provider_unavailable: 'The model provider was unavailable until the service gave up.',
  provider_refused: 'The model or its content filter refused to answer.',
  context_exceeded: "The conversation does not fit the model's context window, even after it was shortened.",
  empty_reply: 'The model gave an empty answer twice, or no answer in its last turn.',
  reply_truncated: "The model's answer was cut at its length limit and could not be continued to its end.",
  output_invalid: "The model's answer does not match the output schema, even after two repairs.",
  output_schema_unusable: 'The output schema of the step is larger than is allowed, or cannot be compiled.',
  output_check_limit:
    "Checking the model's answer against the output schema takes more time or memory than is allowed.",
  template_unresolved: 'A template of the plan refers to a value that does not exist.',
  agent_unavailable: 'The worker does not have the agent of the step, or cannot open its model.',
  model_unavailable: 'The model that the run chose is not allowed any more, or the worker cannot open it.',
  tool_unavailable: 'A tool that the step names cannot be reached, or the worker does not have it.',
  tool_failed: 'A tool step failed on its last attempt.',
  goal_not_reached: 'The judge stopped the run because the goal was not reached.',
  rubric_not_met: 'The answer does not pass its rubric, and no revision is left.',
  judge_unavailable:
    'The judge gave no usable grade for a rubric; or no usable decision, and the service is configured to fail the run.',
  replan_limit: 'The run reached the limit of replans.',
  step_limit: 'The run reached the limit of steps without a plan.',
  cassette_mismatch: 'The run is replayed, and made a call that differs from the recorded one.',
  cassette_missing: 'The run is replayed, and there is no recorded run with the same input.',
  signal_rejected: 'A person rejected what the run asked for.',
  signal_timeout: 'No signal arrived in time.',
  internal_error: 'An error in the service itself; see its log.',
  // run.worker.stalled
  heartbeat_lost: 'The worker stopped renewing its lease.',
  crashes_worker: 'The worker died or hung again and again with this run, at last while it executed nothing else.',
  lease_lost: 'The worker gave up its lease because it could not renew it in time.',
  step_timeout: 'A step exceeded its timeout.',
  // run.coordination.decision
  plan_ready: 'The planner made a plan.',
  plan_unusable:
    'The planner made no usable plan; the run goes on with the plan that it has, or without one if it has none to keep.',
  step_done: 'The step is done.',
  all_done: 'The goal is reached.',
  steps_skipped: 'The goal is reached; the steps that are left are skipped.',
  plan_goes_on: 'The judge sees the goal reached, but the plan has steps that happen in any case.',
  nothing_left: 'No step is left to continue with.',
  judge_unreadable: 'The judge gave no readable decision; `RUNWRIGHT_JUDGE_FALLBACK` decided.',
  turn_limit: 'The step reached the limit of turns; its last answer is the result.',
  revision_requested: 'The answer does not pass its rubric yet; the worker revises it.',
  retry_step: 'The step failed and is retried.',
  step_failed: 'The step failed for good.',
  replan_requested: 'The judge asked for a new plan.',
  step_misplanned:
    "A step of the planner's plan cannot be executed as it is written; the planner is told why and plans again.",
  provider_retry: 'The model provider is not available; the call is repeated later.',
  tool_retry: 'A tool that the step needs is not available; it is looked for again later.',
  model_fallback: 'Another model of the list took over.',
  context_compacted: 'Older turns of the conversation were replaced by a summary.',
  // run.awaiting_input
  input_required: 'The run awaits input.',
  approval_required: 'The run needs an approval.',
  tool_outcome_unknown: 'It is not known whether a tool call took place.',
  // run.tool.invoked
  tool_not_allowed: 'The step may not use this tool.',
  denied_by_policy: 'The policy denies this call.',
  denied_by_person: 'A person did not allow this call.',
  edit_not_allowed: 'A person changed the arguments of this call, and sensitive values may not go there.',
  address_not_allowed: 'The address is not public.',
  scheme_not_allowed: 'Only http and https addresses are allowed.',
} as const

export type EventReason = keyof typeof eventReasons

export const isEventReason = (reason: unknown): reason is EventReason =>
  typeof reason === 'string' && Object.hasOwn(eventReasons, reason)
