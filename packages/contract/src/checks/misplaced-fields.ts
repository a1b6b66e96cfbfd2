// Fields that callers often send in the wrong place or under another name, and what they should send instead.

/** By the name of the unknown field. The text completes "is not a known field: …". */
export type Places = Readonly<Record<string, string>>

const goal = 'say what the run should do in input.goal'

export const placesOfRun: Places = {
  agent: 'use metadata.agent',
  model: 'use metadata.model',
  title: 'use metadata.title',
  tags: 'use metadata, or sensitivity_tags for sensitive values',
  goal,
  prompt: goal,
  task: goal,
  message: goal,
  messages: goal,
  instruction: `${goal}, or in the instruction of a step of plan.steps`,
  instructions: goal,
  inputs: 'use input',
  sandbox: 'use input.sandbox',
  output_schema: 'use input.output_schema, or the output_schema of a step',
  schema: 'use input.output_schema',
  response_format: 'use input.output_schema',
  steps: 'use plan.steps',
  tools: 'name tools in the steps of plan.steps, or in an agent',
  judge: 'use plan.judge, or the judge of a step',
  max_attempts: 'use the max_attempts of a step of plan.steps',
  timeout_seconds: 'use the timeout_seconds of a step of plan.steps',
  approval: 'use the approval of a step of plan.steps',
  idempotency_key: 'send the header idempotency-key',
  class: 'use run_class',
  stream: 'use streaming',
  workspace: 'use workspace_id',
  subject: 'use subject_id',
  user: 'use subject_id',
  user_id: 'use subject_id',
  attachments: 'use attachment_refs',
  webhook: 'create a webhook with POST /v1/webhooks',
  webhook_url: 'create a webhook with POST /v1/webhooks',
  cron: 'create a schedule with POST /v1/schedules',
}

export const placesOfStep: Places = {
  prompt: 'use instruction',
  task: 'use instruction',
  goal: 'use instruction',
  instructions: 'use instruction',
  name: 'use id',
  dependsOn: 'use depends_on',
  depends: 'use depends_on',
  needs: 'use depends_on',
  after: 'use depends_on',
  arguments: 'use input',
  args: 'use input',
  params: 'use input',
  schema: 'use output_schema',
  timeout: 'use timeout_seconds',
  retries: 'use max_attempts',
  requires_approval: 'use "approval": "required"',
  gate: 'use await_input',
  wait: 'use await_input',
  model: 'use metadata.model of the run, or an agent with that model',
}

export const placesOfSignal: Places = {
  type: 'use action',
  signal: 'use action',
  decision: 'use action',
  reason: 'use payload.reason',
  data: 'use payload',
  input: 'use payload',
  seq: 'use await_seq',
}

/** What to say of an unknown field; undefined: nothing is known of it. */
export const findPlace = (places: Places, field: string): string | undefined =>
  Object.hasOwn(places, field) ? places[field] : undefined
