// Parses and checks the body of a fork. What it does not name stays as in the run that is forked.
import { type ForkRun, forkRunSchema, maxSensitivityTags } from '@runwright/contract'
import { canonicalJson } from '../json/canonical-json.ts'
import type { SchemaToCompile } from '../json/schema-to-compile.ts'
import { parseInParts } from '../json/strict-json.ts'
import type { SentDocument } from '../secrets/split-secrets.ts'
import type { TaggedLocation } from '../secrets/tagged-locations.ts'
import { ServiceError } from '../service-error.ts'
import { checkChoices } from './check-choices.ts'
import { checkSensitivity } from './check-sensitivity.ts'
import {
  accept,
  checkRubric,
  createRefusals,
  type IntakeContext,
  maxDepth,
  measure,
  readResultSchema,
  readShape,
} from './intake.ts'
import { readSandboxScript } from './sandbox-script.ts'

export interface AcceptedFork {
  readonly request: ForkRun
  /** The fork can be created once these have compiled. */
  readonly schemas: readonly SchemaToCompile[]
  /** Equal for two bodies exactly when they are the same request. */
  readonly canonicalBody: string
}

/** Yields where the work can be interrupted. */
export function* readForkRun(bodyText: string, context: IntakeContext): Generator<void, AcceptedFork> {
  const body = accept(yield* parseInParts(bodyText, { maxDepth }), createRefusals)
  yield
  const request = readShape(forkRunSchema, body, 'INPUT_PAYLOAD_INVALID')
  const { input, metadata } = request
  const ofScript = input && context.workerIsSandbox ? yield* readSandboxScript(input) : []
  const ofResult = input ? readResultSchema(input) : []
  if (input) checkRubric(input)
  if (metadata) checkChoices(metadata, context)
  yield
  return { request, schemas: [...ofScript, ...ofResult], canonicalBody: canonicalJson(body) }
}

export interface ChangedContent {
  readonly sent: SentDocument
  /** What the tags select, and sensitive keys. */
  readonly secrets: readonly TaggedLocation[]
}

/** The content of the fork, or undefined if it is that of the run. */
export function* changeContent(request: ForkRun, sent: SentDocument): Generator<void, ChangedContent | undefined> {
  const { input, metadata, sensitivity_tags: more } = request
  if (!input && !metadata && !more) return undefined
  const tags = [...(sent.sensitivity_tags ?? []), ...(more ?? [])]
  if (tags.length > maxSensitivityTags) throw tooManyTags(tags.length)
  const changed: SentDocument = {
    ...sent,
    input: input ?? sent.input,
    metadata: metadata ?? sent.metadata,
    ...(tags.length > 0 && { sensitivity_tags: tags }),
  }
  measure(changed.input, changed.metadata)
  yield
  return { sent: changed, secrets: checkSensitivity(changed, tags) }
}

const tooManyTags = (count: number): ServiceError =>
  new ServiceError(
    'INPUT_PAYLOAD_INVALID',
    `sensitivity_tags: the run and the fork have ${count} tags together; at most ${maxSensitivityTags} are allowed.`,
  )
