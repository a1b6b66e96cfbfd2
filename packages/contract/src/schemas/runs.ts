// Runs on the wire: the create request, the run, the parts that `include` adds, and the list.
import { z } from 'zod'
import {
  defaultListPageSize,
  maxAttachmentRefs,
  maxPageSize,
  maxRubricLength,
  maxSensitivityTags,
} from '../vocabulary/limits.ts'
import {
  auditChannels,
  routingHints,
  runClasses,
  runIncludes,
  runListIncludes,
  runStatuses,
  stepKinds,
  stepStates,
} from '../vocabulary/vocabulary.ts'
import { eventReasonSchema } from './events.ts'
import { planSchema, stepId } from './plan.ts'
import { awaitingInputSchema, runSignalSchema } from './questions.ts'
import { sensitivityTagSchema } from './sensitivity.ts'
import {
  id,
  instant,
  jsonObject,
  label,
  openEnum,
  published,
  queryBoolean,
  queryCursor,
  queryInstant,
  queryInteger,
  queryList,
  requestId,
  text,
} from './wire.ts'

const runInput = published(jsonObject, {
  type: 'object',
  properties: {
    rubric: {
      description: 'What the result of the run is graded against. A text is the `criteria`',
      anyOf: [{ type: 'string', minLength: 1, maxLength: maxRubricLength }, { $ref: '#/components/schemas/Rubric' }],
    },
    sandbox: {
      description: 'With the sandbox model, the script of the run. With another model, any value',
      anyOf: [{ $ref: '#/components/schemas/SandboxScript' }, { description: 'With another model' }],
    },
  },
  additionalProperties: {},
})

const sensitivityTags = z.array(sensitivityTagSchema).max(maxSensitivityTags)

export const createRunSchema = z
  .strictObject({
    input: runInput.describe(
      'Initial context. At most 256 KB together with `metadata`. With the sandbox model, `sandbox` is the script of the run',
    ),
    metadata: jsonObject.describe(
      'Arbitrary metadata; may be empty. `include=input` returns it. If the service has agents, `agent` names the one of the run. If the service has a list of allowed models, `model` chooses one of them',
    ),
    workspace_id: label.optional(),
    subject_id: label.optional(),
    attachment_refs: z.array(text(1, 2048)).max(maxAttachmentRefs).optional(),
    sensitivity_tags: sensitivityTags.optional(),
    routing_hint: z.enum(routingHints).optional(),
    run_class: z.enum(runClasses).optional(),
    streaming: z.boolean().optional(),
    // Checked last and separately, because a bad plan has its own reason code.
    plan: z
      .unknown()
      .meta({ published: { $ref: '#/components/schemas/Plan' } })
      .optional(),
  })
  .meta({ id: 'CreateRun' })
export type CreateRun = z.infer<typeof createRunSchema>

export const forkRunSchema = z
  .strictObject({
    from_step: stepId.describe(
      'The last step that is kept: the id of a finished step. The fork keeps it with all that the run finished before it, and executes the rest',
    ),
    input: runInput.optional().describe('Replaces the input. Default: that of the run, including its tagged values'),
    metadata: jsonObject.optional().describe('Replaces the metadata. Default: that of the run'),
    sensitivity_tags: sensitivityTags.optional().describe('Tags in addition to those of the run'),
  })
  .meta({ id: 'ForkRun' })
export type ForkRun = z.infer<typeof forkRunSchema>

export const runResultSchema = z
  .object({
    content: z.string().describe('The text of the last agent or tool step to finish'),
    output: z.unknown().describe('Its structured output. Null if it has none'),
  })
  .meta({ id: 'RunResult' })
export type RunResult = z.infer<typeof runResultSchema>

const eventPayload = z.object({
  redacted: z.boolean(),
  value: runResultSchema.nullable().describe('Null until the run has succeeded'),
})

const runFields = {
  id: id('run'),
  workspace_id: label.nullable(),
  subject_id: label.nullable(),
  status: z.enum(runStatuses),
  run_class: z.enum(runClasses),
  metadata: z
    .object({ created_at: instant, updated_at: instant })
    .describe('The times of the run. The metadata that it was created with is `input.metadata` of `include=input`'),
  event_payload: eventPayload,
}

export const runSchema = z.object({ ...runFields, request_id: requestId }).meta({ id: 'Run' })
export type Run = z.infer<typeof runSchema>

export const createdRunSchema = z
  .object({ ...runFields, replayed: z.boolean(), request_id: requestId })
  .meta({ id: 'CreatedRun' })
export type CreatedRun = z.infer<typeof createdRunSchema>

export const runInputSchema = z
  .object({
    input: z.unknown().describe('As sent, with tagged values masked or removed; "***" if it is tagged as a whole'),
    metadata: z.unknown().describe('Likewise'),
    attachment_refs: z.array(z.string()),
  })
  .meta({ id: 'RunInput' })
export type RunInput = z.infer<typeof runInputSchema>

export const runCreatorSchema = z
  .object({
    key_id: z.string().nullable().describe('The API key; null: the operator'),
    key_name: z.string().nullable().describe('The name of the key'),
    via: openEnum(auditChannels).describe('How the request reached the service'),
  })
  .meta({ id: 'RunCreator' })
export type RunCreator = z.infer<typeof runCreatorSchema>

export const runAgentSchema = z
  .object({
    name: z.string().nullable().describe('The agent of the run. Null if only steps of its plan have one'),
    hash: z.string().nullable().describe('The hash of its definition. Null before the run is first executed'),
    set_hash: z
      .string()
      .nullable()
      .describe('The hash of all agents of the service when the run was first executed. The run uses those to its end'),
  })
  .meta({ id: 'RunAgent' })
export type RunAgent = z.infer<typeof runAgentSchema>

export const runLimitsSchema = z
  .object({ tokens: z.int(), duration_seconds: z.number(), signal_timeout_seconds: z.number() })
  .meta({ id: 'RunLimits' })
export type RunLimits = z.infer<typeof runLimitsSchema>

export const runUsageSchema = z
  .object({ tokens: z.int(), steps: z.int(), tool_calls: z.int() })
  .meta({ id: 'RunUsage' })
export type RunUsage = z.infer<typeof runUsageSchema>

export const runFailureSchema = z
  .object({ reason_code: eventReasonSchema, message: z.string().nullable(), seq: z.int() })
  .meta({ id: 'RunFailure' })
export type RunFailure = z.infer<typeof runFailureSchema>

export const forkedFromSchema = z
  .object({
    run_id: id('run').describe('The run may have been removed since'),
    step_id: z.string().describe('The last step that was kept'),
  })
  .meta({ id: 'ForkedFrom' })
export type ForkedFrom = z.infer<typeof forkedFromSchema>

export const runStepSchema = z
  .object({
    id: z.string().describe('As in the plan; `planner`; or `#0`, `#1` … in a run without a plan'),
    task_id: z.string().nullable().describe('As in the events. Null for a gate, which has none'),
    kind: openEnum(stepKinds),
    state: openEnum(stepStates).describe(
      '`waiting`: for a person. `skipped`: it never began, and never will unless the run is retried',
    ),
    attempts: z.int(),
    started_at: instant
      .nullable()
      .describe('Until its first event or the first answer of its model, the moment at which it could begin'),
    ended_at: instant.nullable(),
    content: z.string().nullable().describe('The text of a step that has succeeded'),
    output: z
      .unknown()
      .describe(
        'Its structured output, or the answer to a gate. Null if there is none, and a day after the run has ended',
      ),
    error: z.object({ reason_code: eventReasonSchema, message: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'RunStep' })
export type RunStep = z.infer<typeof runStepSchema>

const steps = z.array(runStepSchema).nullable().describe('All steps, in the order of the plan')
const output = z.unknown().describe('`event_payload.value.output` alone. Null until the run has succeeded')

const title = z
  .string()
  .describe(
    'One line of at most 120 characters, made when the run is created: `metadata.title`, else the goal of the input or the plan, else the first text of the input. Tagged values are masked',
  )

/** A run with the parts that `include` names; a part is null if the run has none. */
export const runDetailSchema = z
  .object({
    ...runFields,
    title: title.nullable().optional(),
    awaiting_input: awaitingInputSchema.nullable().optional(),
    input: runInputSchema.nullable().optional(),
    signals: z.array(runSignalSchema).optional(),
    plan: planSchema.nullable().optional(),
    agent: runAgentSchema.nullable().optional(),
    limits: runLimitsSchema.nullable().optional(),
    usage: runUsageSchema.nullable().optional(),
    failure: runFailureSchema.nullable().optional(),
    forked_from: forkedFromSchema.nullable().optional(),
    steps: steps.optional(),
    output: output.optional(),
    created_by: runCreatorSchema
      .nullable()
      .optional()
      .describe('Who created the run. Null: the service itself, because a schedule was due'),
    request_id: requestId,
  })
  .meta({ id: 'RunDetail' })
export type RunDetail = z.infer<typeof runDetailSchema>

export const getRunQuerySchema = z.strictObject({ include: queryList(runIncludes).optional() })

export const listedRunSchema = z
  .object({
    ...runFields,
    event_payload: z.object({
      redacted: z.boolean(),
      value: runResultSchema.nullable().describe('Null until the run has succeeded, and without `include=result`'),
    }),
    title: title.nullable().optional(),
    agent: runAgentSchema.nullable().optional(),
    awaiting_input: awaitingInputSchema.nullable().optional(),
    failure: runFailureSchema.nullable().optional(),
    limits: runLimitsSchema.nullable().optional(),
    usage: runUsageSchema.nullable().optional(),
    forked_from: forkedFromSchema.nullable().optional(),
    steps: steps.optional(),
    output: output.optional(),
  })
  .meta({ id: 'ListedRun' })
export type ListedRun = z.infer<typeof listedRunSchema>

const searchText = text(1, 200).refine((value) => value.trim() !== '', { error: 'must not be blank' })

const runLabels = {
  workspace_id: label.optional(),
  subject_id: label.optional(),
  run_class: z.enum(runClasses).optional(),
  created_after: queryInstant.optional().describe('Created at or after'),
  created_before: queryInstant.optional().describe('Created before'),
}

/** What selects the runs of a list. */
const runFilters = {
  status: queryList(runStatuses).optional().describe('Only these statuses'),
  awaiting_input: queryBoolean.optional(),
  assigned: z
    .enum(['me'], { error: 'must be me' })
    .optional()
    .describe(
      'With `awaiting_input=true`: only runs whose question the caller may decide, whatever its scopes, and has not decided yet or somebody has decided otherwise',
    ),
  ...runLabels,
  agent: label.optional().describe('Only runs of this agent'),
  error: label.optional().describe('Only failed runs with this `failure.reason_code`'),
  schedule_id: text(1, 128).optional().describe('Only runs that this schedule has created, the latest 10,000 of them'),
  q: searchText
    .optional()
    .describe(
      'The id of a run, the first 8 or more characters of it, or words of its title. Upper and lower case do not matter',
    ),
  limit: queryInteger(1, maxPageSize, defaultListPageSize).optional(),
  include: queryList(runListIncludes).optional().describe('Parts to add to each run'),
}

export const listRunsQuerySchema = z.strictObject({
  ...runFilters,
  cursor: queryCursor.optional(),
})
export type ListRunsQuery = z.infer<typeof listRunsQuerySchema>

export const countRunsQuerySchema = z.strictObject(runLabels)
export type CountRunsQuery = z.infer<typeof countRunsQuerySchema>

export const runCountsSchema = z
  .object({
    counts: z.object({
      queued: z.int(),
      running: z.int().describe('Without those that await input'),
      awaiting_input: z.int(),
      stalled: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      cancelled: z.int(),
    }),
    complete: z.boolean().describe('False if there are more than the 10,000 runs that were looked at'),
    request_id: requestId,
  })
  .meta({ id: 'RunCounts' })
export type RunCounts = z.infer<typeof runCountsSchema>

/** The stream always follows the first page. */
export const streamRunsQuerySchema = z.strictObject(runFilters)
export type StreamRunsQuery = z.infer<typeof streamRunsQuerySchema>

const nextCursor = z.string().nullable().describe('Of the list, for the runs after those of the stream')

export const runsPageSchema = z
  .object({ runs: z.array(listedRunSchema), next_cursor: nextCursor })
  .meta({ id: 'RunsPage', description: 'The data of `runs.page`, the first message of the stream' })
export type RunsPage = z.infer<typeof runsPageSchema>

export const runsChangedSchema = z
  .object({
    put: z.array(listedRunSchema).describe('Runs that are new on the page or have changed'),
    gone: z.array(id('run')).describe('Runs that are no longer on the page'),
    next_cursor: nextCursor,
  })
  .meta({ id: 'RunsChanged', description: 'The data of `runs.changed`: what is different from before' })
export type RunsChanged = z.infer<typeof runsChangedSchema>

export const runListSchema = z
  .object({ runs: z.array(listedRunSchema), next_cursor: z.string().nullable(), request_id: requestId })
  .meta({ id: 'RunList' })
export type RunList = z.infer<typeof runListSchema>
