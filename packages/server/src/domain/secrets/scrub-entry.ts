// Removes a run's secrets from an entry of its journal. All fields are scrubbed except those listed here as the
// service's own.
import type { Kept } from '../json/map-leaves.ts'
import type { SecretKeeper } from './secret-keeper.ts'
import { planNames } from './split-secrets.ts'

/** Yields where the work can be interrupted. */
export function* scrubEntry<Entry extends { readonly key: string; readonly body: unknown }>(
  secrets: SecretKeeper,
  entry: Entry,
): Generator<void, Entry> {
  return { ...entry, body: yield* secrets.scrub(entry.body, wordsInEntry(entry.key, entry.body)) }
}

/** The names of the service's own fields, which may look like a secret. What is in the fields is scrubbed. */
export function fieldsOf(holder: unknown): Exclude<Kept, true> {
  const names = typeof holder === 'object' && holder !== null ? Object.keys(holder) : []
  return Object.fromEntries(names.map((name) => [name, {}]))
}

const kindOf = (key: string): string => key.slice(0, key.indexOf(':'))

function wordsInEntry(key: string, body: unknown): Kept {
  const words = wordsInJournal[kindOf(key)]
  return words === true ? true : { ...fieldsOf(body), ...words }
}

const gradeWords = { passed: true, revisions: true, scores: {}, notes: {} } as const satisfies Kept

const wordsInJournal: Readonly<Record<string, Kept>> = {
  done: { stepId: true, kind: true, order: true, plannedBy: true, judgedBy: true, grade: gradeWords },
  grade: { ...gradeWords, gradedBy: true },
  fail: true,
  plan: planNames,
  carried: true,
  await: { inputKind: true, rules: true },
  resolved: true,
  reply: {
    calls: { '*': { callId: true, modelCallId: true, name: true, input: {} } },
    finish: true,
    model: true,
    promptVersion: true,
  },
  retry: true,
  sleep: true,
  stop: true,
  call: { name: true, effect: true, sendByMs: true, endsByMs: true, touches: true, edited: {} },
  touch: true,
  file: { mediaType: true, data: true },
  result: { outcome: true, touches: true },
}
