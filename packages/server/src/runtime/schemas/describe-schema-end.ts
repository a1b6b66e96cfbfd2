// Says why a schema was not compiled, or a value not checked. Each text completes "… cannot be compiled:" or "… cannot
// be checked:".
import {
  type CompileOutcome,
  maxJobSeconds,
  maxMemoryMebibytes,
  maxValueLength,
  type SchemaEnd,
} from './schema-threads.ts'

const ends: Readonly<Record<SchemaEnd, string>> = {
  timed_out: `this takes longer than ${maxJobSeconds} seconds`,
  crashed: `this took more than ${maxMemoryMebibytes} MiB of memory, or its thread died twice for another reason`,
  too_expensive: 'the patterns of the schema take too many steps for texts of this length',
  too_large: `the value has more than ${maxValueLength} characters of JSON, or nests too deeply`,
  queue_full: 'too many others wait',
  aborted: 'it was aborted before it had begun',
}

export const describeSchemaEnd = (end: SchemaEnd): string => ends[end]

export const describeCompileProblem = (outcome: Exclude<CompileOutcome, 'compiled'>): string =>
  'problem' in outcome ? outcome.problem : describeSchemaEnd(outcome.ended)
