// Parses and checks the bodies of create and signal requests. Anything wrong throws a `ServiceError` with its reason
// code.
import {
  createRunSchema,
  describeIssue,
  findPlace,
  maxJsonDepth,
  maxPayloadBytes,
  maxPlanBytes,
  placesOfRun,
  placesOfSignal,
  type ReasonCode,
  type RoutingHint,
  type RunClass,
  type SensitivityTag,
  type Signal,
  signalSchema,
} from '@runwright/contract'
import type { z } from 'zod'
import { canonicalJson } from '../json/canonical-json.ts'
import { isSchemaProblem, readOutputSchema } from '../json/output-schema.ts'
import { describeSchemaProblem, type SchemaToCompile } from '../json/schema-to-compile.ts'
import { type JsonSize, parseInParts, type StrictJson } from '../json/strict-json.ts'
import { type KnownTools, parsePlan, type ResolvedPlan } from '../plan/plan.ts'
import { readPlanSchemas } from '../plan/plan-schemas.ts'
import { isRubricProblem, readRubric } from '../rubric/rubric.ts'
import { type Routing, routeRun } from '../run/routing.ts'
import type { TaggedLocation } from '../secrets/tagged-locations.ts'
import { ServiceError } from '../service-error.ts'
import { type Choices, checkChoices } from './check-choices.ts'
import { checkEscalations } from './check-escalations.ts'
import { checkSensitivity } from './check-sensitivity.ts'
import { readSandboxScript } from './sandbox-script.ts'

export interface AcceptedRun {
  readonly input: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  /** The JSON text of `input`, as measured against the size limit. */
  readonly inputJson: string
  readonly metadataJson: string
  readonly workspaceId: string | null
  readonly subjectId: string | null
  readonly attachmentRefs: readonly string[] | undefined
  readonly sensitivityTags: readonly SensitivityTag[] | undefined
  /** What the tags select, and sensitive keys. */
  readonly secrets: readonly TaggedLocation[]
  readonly routingHint: RoutingHint | undefined
  readonly routing: Routing
  readonly runClass: RunClass
  readonly streaming: boolean | undefined
  readonly plan: ResolvedPlan | undefined
  /** The run can be created once these have compiled. */
  readonly schemas: readonly SchemaToCompile[]
  /** Equal for two bodies exactly when they are the same request. */
  readonly canonicalBody: string
}

export interface IntakeContext extends Choices {
  readonly knownTools: KnownTools
  readonly workerIsSandbox: boolean
  /** The longest time that a plan may give a step. */
  readonly stepTimeoutSeconds: number
  readonly limits: Readonly<Record<RunClass, { readonly signalTimeoutSeconds: number }>>
}

/**
 * The checks run in this order: JSON and shape, size, tags, sensitive keys, plan. Output schemas are measured here, but
 * compiled later, on another thread. Yields where the work can be
 * interrupted: a large body takes longer than the event loop may be held.
 */
export function* readCreateRun(bodyText: string, context: IntakeContext): Generator<void, AcceptedRun> {
  const body = accept(yield* parseInParts(bodyText, { maxDepth }), createRefusals)
  yield
  const request = readShape(createRunSchema, body, 'INPUT_PAYLOAD_INVALID')
  const ofScript = context.workerIsSandbox ? yield* readSandboxScript(request.input) : []
  const ofResult = readResultSchema(request.input)
  checkRubric(request.input)
  checkChoices(request.metadata, context)
  const { input, metadata, routing_hint: routingHint } = request
  yield
  const { inputJson, metadataJson } = measure(input, metadata)
  yield
  const secrets = checkSensitivity({ input, metadata }, request.sensitivity_tags)
  yield
  const plan = request.plan === undefined ? undefined : readPlan(request.plan, context)
  yield
  const runClass = request.run_class ?? 'default'
  checkEscalations({ metadata, plan }, { runClass, waitSeconds: context.limits[runClass].signalTimeoutSeconds })
  yield
  const ofPlan = plan === undefined ? [] : yield* readPlanSchemas(plan)
  yield
  return {
    input,
    metadata,
    inputJson,
    metadataJson,
    workspaceId: request.workspace_id ?? null,
    subjectId: request.subject_id ?? null,
    attachmentRefs: request.attachment_refs,
    sensitivityTags: request.sensitivity_tags,
    secrets,
    routingHint,
    routing: routeRun({ hint: routingHint, plan, input, isSandbox: context.workerIsSandbox }),
    runClass,
    streaming: request.streaming,
    plan,
    schemas: [...ofScript, ...ofResult, ...ofPlan],
    canonicalBody: canonicalJson(body, {
      get: (value) => (value === input ? inputJson : value === metadata ? metadataJson : undefined),
    }),
  }
}

/** As many as fit into a payload of 256 KB. */
const signalSize: JsonSize = { maxKeys: 40_000, maxParts: 140_000 }

/**
 * `payload` is undefined only when the body has none; null is a payload. Yields where the work can be interrupted.
 */
export function* readSignal(bodyText: string): Generator<void, Signal> {
  const body = accept(yield* parseInParts(bodyText, { maxDepth, size: signalSize }), {
    invalid: 'SIGNAL_PAYLOAD_INVALID',
  })
  yield
  const signal = readShape(signalSchema, body, 'SIGNAL_PAYLOAD_INVALID')
  yield
  if (signal.payload !== undefined && Buffer.byteLength(JSON.stringify(signal.payload)) > maxPayloadBytes)
    throw new ServiceError(
      'SIGNAL_PAYLOAD_INVALID',
      `payload is too large: at most ${maxPayloadBytes} bytes of JSON are allowed.`,
    )
  const decision = { call: signal.call, calls: signal.calls }
  if ((signal.call || signal.calls) && (signal.action !== 'submit_input' || (signal.call && signal.calls)))
    throw new ServiceError(
      'SIGNAL_PAYLOAD_INVALID',
      'call and calls are only for submit_input, and exclude each other.',
    )
  if (Buffer.byteLength(JSON.stringify(decision)) > maxPayloadBytes)
    throw new ServiceError(
      'SIGNAL_PAYLOAD_INVALID',
      `call and calls are too large: at most ${maxPayloadBytes} bytes of JSON are allowed.`,
    )
  return signal
}

// `maxJsonDepth` applies to the values inside the body, which is one more level.
export const maxDepth = maxJsonDepth + 1

interface Refusals {
  readonly invalid: ReasonCode
  /** Default: the same. */
  readonly tooLarge?: ReasonCode
}

export const createRefusals: Refusals = { invalid: 'INPUT_PAYLOAD_INVALID', tooLarge: 'INPUT_PAYLOAD_TOO_LARGE' }

export function accept(read: StrictJson, { invalid, tooLarge = invalid }: Refusals): unknown {
  if (!read.ok) throw new ServiceError(read.isTooLarge ? tooLarge : invalid, read.problem)
  return read.value
}

export function readShape<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  reason: ReasonCode,
): z.output<Schema> {
  const parsed = schema.safeParse(body)
  const places = reason === 'SIGNAL_PAYLOAD_INVALID' ? placesOfSignal : placesOfRun
  const placeOf = (field: string) => findPlace(places, field)
  if (!parsed.success)
    throw new ServiceError(reason, `${describeIssue({ error: parsed.error, value: body, placeOf })}.`)
  return parsed.data
}

/** The schema of the result of the run, if it has one. */
export function readResultSchema({ output_schema: given }: Readonly<Record<string, unknown>>): SchemaToCompile[] {
  if (given === undefined) return []
  const read = readOutputSchema(given)
  if (isSchemaProblem(read)) throw inputInvalid(describeSchemaProblem(['input', 'output_schema'], read))
  return [{ text: read.text, refuse: (problem) => inputInvalid(`input.output_schema ${problem}`) }]
}

export function checkRubric({ rubric: given }: Readonly<Record<string, unknown>>): void {
  if (given === undefined) return
  const read = readRubric(given, { at: ['input', 'rubric'], of: 'run' })
  if (isRubricProblem(read)) throw inputInvalid(read.problem)
}

const inputInvalid = (problem: string): ServiceError => new ServiceError('INPUT_PAYLOAD_INVALID', `${problem}.`)

const readPlan = (plan: unknown, { knownTools, agents, stepTimeoutSeconds }: IntakeContext): ResolvedPlan =>
  parsePlan(limitPlan(plan), knownTools, { agents: agents?.current, maxTimeoutSeconds: stepTimeoutSeconds })

function limitPlan(plan: unknown): unknown {
  const bytes = Buffer.byteLength(JSON.stringify(plan))
  if (bytes <= maxPlanBytes) return plan
  throw new ServiceError(
    'INPUT_PLAN_INVALID',
    `plan is too large: it is ${bytes} bytes of JSON; at most ${maxPlanBytes} are allowed.`,
  )
}

export function measure(input: unknown, metadata: unknown): Pick<AcceptedRun, 'inputJson' | 'metadataJson'> {
  const inputJson = JSON.stringify(input)
  const metadataJson = JSON.stringify(metadata)
  // A UTF-16 code unit takes at most three bytes in UTF-8, so a small body need not be counted.
  if ((inputJson.length + metadataJson.length) * 3 <= maxPayloadBytes) return { inputJson, metadataJson }
  const bytes = Buffer.byteLength(inputJson) + Buffer.byteLength(metadataJson)
  if (bytes > maxPayloadBytes)
    throw new ServiceError(
      'INPUT_PAYLOAD_TOO_LARGE',
      `input and metadata are too large: together they are ${bytes} bytes of JSON; at most ${maxPayloadBytes} are allowed.`,
    )
  return { inputJson, metadataJson }
}
