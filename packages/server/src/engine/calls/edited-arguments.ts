// The arguments that a person has sent instead of those that were shown. Sensitive values were masked in the question:
// where they come back as they were shown, the call keeps its own. They cannot be moved: a person who has not seen a
// value could otherwise send it somewhere else.
import { isDeepStrictEqual } from 'node:util'
import { finish } from '../../domain/finish.ts'
import type { JournaledCall } from '../../domain/run/journal.ts'
import type { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'

type Call = Pick<JournaledCall, 'name' | 'input'>

/** Takes about as long as it takes to write the JSON of the arguments. */
export function editArguments(secrets: SecretKeeper | undefined, call: JournaledCall, edited: unknown): JournaledCall {
  if (!secrets) return { ...call, input: edited }
  return { ...call, input: restore({ edited, shown: finish(secrets.show(call.input)), own: call.input }) }
}

interface Place {
  readonly edited: unknown
  readonly shown: unknown
  readonly own: unknown
}

type Fields = Readonly<Record<string, unknown>>

function restore({ edited, shown, own }: Place): unknown {
  if (isDeepStrictEqual(edited, shown)) return own
  if (Array.isArray(edited) && Array.isArray(shown) && Array.isArray(own) && shown.length === own.length)
    return edited.map((item, index) => restore({ edited: item, shown: shown[index], own: own[index] }))
  if (!isFields(edited) || !isFields(shown) || !isFields(own)) return edited
  const restored = Object.entries(edited).map(([name, value]) => [name, restore(placeOf(name, { value, shown, own }))])
  // What is not shown at all cannot come back. It stays.
  const hidden = Object.entries(own).filter(([name]) => !Object.hasOwn(shown, name) && !Object.hasOwn(edited, name))
  return Object.fromEntries([...restored, ...hidden])
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const placeOf = (name: string, { value, shown, own }: { value: unknown; shown: Fields; own: Fields }): Place => ({
  edited: value,
  shown: Object.hasOwn(shown, name) ? shown[name] : undefined,
  own: Object.hasOwn(own, name) ? own[name] : undefined,
})

/** Whether a sensitive value is anywhere in the edited arguments where the call did not have it. */
export function isSmuggled(secrets: SecretKeeper | undefined, own: Call, edited: Call): boolean {
  if (!secrets || secrets.secretsIn(edited.input).length === 0) return false
  return movesSecret(secrets, edited.input, own.input)
}

function movesSecret(secrets: SecretKeeper, edited: unknown, own: unknown): boolean {
  if (isDeepStrictEqual(edited, own)) return false
  if (Array.isArray(edited))
    return edited.some((item, index) => movesSecret(secrets, item, Array.isArray(own) ? own[index] : undefined))
  if (!isFields(edited)) return secrets.secretsIn(edited).length > 0
  return Object.entries(edited).some(([name, value]) =>
    movesSecret(secrets, value, isFields(own) && Object.hasOwn(own, name) ? own[name] : undefined),
  )
}
