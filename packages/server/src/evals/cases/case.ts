// A case: a run to create, how often, and what must be true of it afterwards.
import { routingHints, signalActions } from '@runwright/contract'
import { z } from 'zod'
import { checkFields, checkSchema, json, jsonObject } from './check.ts'

const limitFields = {
  max_turns: z.int().min(1).exactOptional(),
  max_tokens: z.int().min(1).exactOptional(),
  max_seconds: z.number().positive().max(86_400).exactOptional(),
}

const answerFields = { action: z.enum(signalActions), payload: json.exactOptional() }

const caseFields = {
  name: z.string().min(1).max(200),
  input: jsonObject,
  plan: jsonObject.exactOptional(),
  agent: z.string().min(1).exactOptional(),
  model: z.string().min(1).exactOptional(),
  routing_hint: z.enum(routingHints).exactOptional(),
  world: z.string().min(1).exactOptional(),
  trials: z.int().min(1).max(1_000).exactOptional(),
  answers: z.array(z.strictObject(answerFields)).exactOptional(),
  limits: z.strictObject(limitFields).exactOptional(),
  checks: z.array(checkSchema).exactOptional(),
}

export const caseSchema = z.strictObject(caseFields)
/** A case of a suite before its defaults are filled in. */
export const partialCaseSchema = caseSchema.partial()
export const defaultsSchema = caseSchema.omit({ name: true }).partial()
export const suiteSchema = z.strictObject({
  defaults: z.record(z.string(), z.unknown()).exactOptional(),
  cases: z.array(z.record(z.string(), z.unknown())).min(1),
})

/** The fields of an object in the file, by the name under which it stands; for suggestions. */
const fieldsByHolder: Readonly<Record<string, object>> = {
  limits: limitFields,
  answers: answerFields,
  checks: checkFields,
  called: checkFields.called.unwrap().shape,
  not_called: checkFields.not_called.unwrap().shape,
  judged: checkFields.judged.unwrap().shape,
  state_after: checkFields.state_after.unwrap().element.shape,
}

export function knownFieldsAt(path: readonly PropertyKey[]): readonly string[] {
  const holder = path.findLast((part) => typeof part === 'string')
  return Object.keys(fieldsByHolder[String(holder)] ?? { ...caseFields, defaults: true, cases: true })
}

type CaseInFile = z.infer<typeof caseSchema>

export interface EvalCase extends Omit<CaseInFile, 'world' | 'trials' | 'checks' | 'answers' | 'limits'> {
  /** As given on the command line. */
  readonly file: string
  /** The absolute path of the module. */
  readonly world: string | undefined
  readonly trials: number
  readonly answers: NonNullable<CaseInFile['answers']>
  readonly limits: NonNullable<CaseInFile['limits']>
  readonly checks: NonNullable<CaseInFile['checks']>
}
