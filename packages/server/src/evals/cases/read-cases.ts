// Reads the cases of YAML files. Any error stops the evaluation with a message that names the file, the line and the
// field, because a check that is not understood would pass.
import { dirname, resolve } from 'node:path'
import { describeIssue, showLocation } from '@runwright/contract'
import type { z } from 'zod'
import { decodeFile, describeFileError, readNamedFile } from '../../runtime/files/bounded-file.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import { findNearestName } from '../../runtime/settings/nearest-name.ts'
import { caseSchema, defaultsSchema, type EvalCase, knownFieldsAt, partialCaseSchema, suiteSchema } from './case.ts'
import { type CaseFile, parseCaseFile } from './case-file.ts'
import { EvaluationError } from './evaluation-error.ts'
import { findCheckProblem } from './schema-check.ts'

/** Throws an EvaluationError. Names are unique over all files, because reports are compared by name. */
export async function readCases(files: readonly string[], schemas: SchemaThreads): Promise<readonly EvalCase[]> {
  const cases: EvalCase[] = []
  for (const name of files) cases.push(...(await readFileCases(parseCaseFile(name, readText(name)), schemas)))
  refuseRepeatedNames(cases)
  return cases
}

const maxBytes = 1024 * 1024

function readText(name: string): string {
  try {
    return decodeFile(readNamedFile(name, { maxBytes }))
  } catch (error) {
    throw new EvaluationError(`${name} ${describeFileError(error)}.`)
  }
}

/** Throws an EvaluationError. */
export async function readFileCases(file: CaseFile, schemas: SchemaThreads): Promise<EvalCase[]> {
  const placed = placeCases(file)
  for (const { asked, at } of placed) await compileChecks(file, asked, { at, schemas })
  return placed.map(({ asked }) => asked)
}

interface PlacedCase {
  readonly asked: EvalCase
  /** The path of the case in the file. */
  readonly at: readonly (string | number)[]
}

function placeCases(file: CaseFile): PlacedCase[] {
  if (!isSuite(file.content)) {
    return [{ asked: toCase(file, check(file, caseSchema, { value: file.content, at: [] }), []), at: [] }]
  }
  const { defaults = {}, cases } = check(file, suiteSchema, { value: file.content, at: [] })
  check(file, defaultsSchema, { value: defaults, at: ['defaults'] })
  return cases.map((given, index) => {
    const at = ['cases', index]
    check(file, partialCaseSchema, { value: given, at })
    return { asked: toCase(file, check(file, caseSchema, { value: { ...defaults, ...given }, at }), at), at }
  })
}

interface Compiling extends Pick<PlacedCase, 'at'> {
  readonly schemas: SchemaThreads
}

async function compileChecks(file: CaseFile, { checks }: EvalCase, { at, schemas }: Compiling): Promise<void> {
  for (const [index, asked] of checks.entries()) {
    const problem = await findCheckProblem(asked, schemas)
    const place = [...at, 'checks', index]
    if (problem !== undefined) throw problemAt(file, place, `${showLocation(place)}.${problem}`)
  }
}

const isSuite = (content: unknown): boolean => typeof content === 'object' && content !== null && 'cases' in content

interface Place {
  readonly value: unknown
  /** The path of `value` in the file. */
  readonly at: readonly (string | number)[]
}

function check<T>(file: CaseFile, schema: z.ZodType<T>, { value, at }: Place): T {
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  const issue = checked.error.issues[0] as z.core.$ZodIssue
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const path = [...at, ...issue.path, ...(unknown === undefined ? [] : [unknown])]
  const problem = `${describeIssue({ error: checked.error, value, at })}${suggest(issue.path, unknown)}`
  throw problemAt(file, path, problem.replace(/^The body/, 'the file'))
}

function suggest(path: readonly PropertyKey[], unknown: string | undefined): string {
  const nearest = unknown === undefined ? undefined : findNearestName(unknown, knownFieldsAt(path))
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

function problemAt(file: CaseFile, path: readonly PropertyKey[], problem: string): EvaluationError {
  return new EvaluationError(`${file.name}:${file.lineOf(path)}: ${problem}${problem.endsWith('?') ? '' : '.'}`)
}

function toCase(file: CaseFile, read: z.infer<typeof caseSchema>, at: readonly (string | number)[]): EvalCase {
  const { world, trials = 1, answers = [], limits = {}, checks = [], ...rest } = read
  const needsWorld = checks.findIndex(({ state, state_after }) => state !== undefined || state_after !== undefined)
  if (world === undefined && needsWorld >= 0)
    throw problemAt(file, [...at, 'checks', needsWorld], 'a check of the state needs the field world')
  const module = world === undefined ? undefined : resolve(dirname(file.name), world)
  return { ...rest, file: file.name, world: module, trials, answers, limits, checks }
}

function refuseRepeatedNames(cases: readonly EvalCase[]): void {
  const files = new Map<string, string>()
  for (const { name, file } of cases) {
    const earlier = files.get(name)
    if (earlier !== undefined)
      throw new EvaluationError(
        `${file}: the case ${JSON.stringify(name)} already exists in ${earlier}; rename one of them.`,
      )
    files.set(name, file)
  }
}
