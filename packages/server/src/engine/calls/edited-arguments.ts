// The arguments that a person has sent instead of those that were shown. Sensitive values were masked in the question:
// where they come back as they were shown, the call keeps its own. They cannot be moved: a person who has not seen a
// value could otherwise send it somewhere else.
import { isDeepStrictEqual } from 'node:util'
import { finish } from '../../domain/finish.ts'
import type { JournaledCall } from '../../domain/run/journal.ts'
import { mask } from '../../domain/secrets/mask.ts'
import type { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { keepsItems } from './edited-list.ts'

type Call = Pick<JournaledCall, 'name' | 'input'>

/**
 * Undefined: it is not clear which of the masked values is meant where. Takes about as long as it takes to write the
 * JSON of the arguments.
 */
export function editArguments(
  secrets: SecretKeeper | undefined,
  call: JournaledCall,
  edited: unknown,
): JournaledCall | undefined {
  if (!secrets) return { ...call, input: edited }
  let isClear = true
  const refuse = () => {
    isClear = false
  }
  const input = restore({ edited, shown: finish(secrets.show(call.input)), own: call.input }, refuse)
  return isClear ? { ...call, input } : undefined
}

interface Place {
  readonly edited: unknown
  readonly shown: unknown
  readonly own: unknown
}

type Refuse = () => void
type Fields = Readonly<Record<string, unknown>>

function restore(place: Place, refuse: Refuse): unknown {
  const { edited, shown, own } = place
  if (isDeepStrictEqual(edited, shown)) return own
  if (isFields(edited) && isFields(shown) && isFields(own)) return restoreFields({ edited, shown, own }, refuse)
  const isHidden = !isDeepStrictEqual(shown, own)
  if (isHidden && Array.isArray(edited) && Array.isArray(shown) && Array.isArray(own))
    return restoreItems({ edited, shown, own }, refuse)
  // A mask where none was shown. The text of the call itself may look like one.
  if (hasMask(edited) && (isHidden || !hasMask(shown))) refuse()
  return edited
}

function restoreFields({ edited, shown, own }: Record<keyof Place, Fields>, refuse: Refuse): unknown {
  const restored = Object.entries(edited).map(([name, value]) => {
    if (hasMask(name) && !Object.hasOwn(shown, name)) refuse()
    return [name, restore(placeOf(name, { value, shown, own }), refuse)]
  })
  // What is not shown at all cannot come back. It stays.
  const hidden = Object.entries(own).filter(([name]) => !Object.hasOwn(shown, name) && !Object.hasOwn(edited, name))
  return Object.fromEntries([...restored, ...hidden])
}

function restoreItems({ edited, shown, own }: Record<keyof Place, readonly unknown[]>, refuse: Refuse): unknown {
  if (!keepsItems({ edited, shown, own })) refuse()
  return edited.map((item, index) => restore({ edited: item, shown: shown[index], own: own[index] }, refuse))
}

/** A text cannot begin in one string of the JSON and end in the next. */
const hasMask = (value: unknown): boolean => JSON.stringify(value)?.includes(mask) === true

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
