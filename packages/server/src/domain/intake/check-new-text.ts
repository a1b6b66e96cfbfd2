// Refuses a fork that would search new text for sensitive values that its sender was not shown: where the text is
// masked would tell them the values. A value that cannot be found by trying is not told that way.
import type { ForkRun } from '@runwright/contract'
import { isGuessable } from '../secrets/guessable.ts'
import { searchedLeaves, searchedText } from '../secrets/leaves.ts'
import type { TaggableDocument, TaggedLocation } from '../secrets/tagged-locations.ts'
import { ServiceError } from '../service-error.ts'

/** `shown` is the content of the run as readers see it; `secrets` are those of the fork. */
export function checkNewText(
  { input, metadata }: Pick<ForkRun, 'input' | 'metadata'>,
  shown: TaggableDocument,
  secrets: readonly TaggedLocation[],
): void {
  const kept = secrets.filter(({ location: [root] }) => (root === 'input' ? !input : !metadata))
  const guessable = kept.filter((secret) => searchedLeaves([secret]).some(({ text }) => isGuessable(text)))
  if (guessable.length === 0) return
  const field = input ? 'input' : 'metadata'
  // The names of agents and models are checked against a list, so they are no free text.
  const { agent: _, model: __, ...own } = metadata ?? {}
  if (hasNewText(input, shown.input) || hasNewText(metadata && own, shown.metadata)) throw guessedWith(field, guessable)
}

/** Whether a text that could contain a secret differs from what readers see in its place. */
function hasNewText(sent: unknown, shown: unknown): boolean {
  if (sent === undefined) return false
  if (typeof sent !== 'object' || sent === null)
    return sent !== shown && searchedText(sent as string | number | boolean | null) !== undefined
  return Object.entries(sent).some(([key, member]) => {
    const isKnown = typeof shown === 'object' && shown !== null && Object.hasOwn(shown, key)
    if (!isKnown && !Array.isArray(sent) && searchedText(key) !== undefined) return true
    return hasNewText(member, isKnown ? (shown as Record<string, unknown>)[key] : undefined)
  })
}

const guessedWith = (field: 'input' | 'metadata', guessable: readonly TaggedLocation[]): ServiceError => {
  const other = field === 'input' ? 'metadata' : 'input'
  const paths = guessable.slice(0, 5).map(({ path }) => path)
  return new ServiceError(
    'INPUT_PAYLOAD_INVALID',
    `${field}: the fork would keep sensitive values that can be guessed (${paths.join(', ')}), and new text would be searched for them. Send ${other} with the values again, or leave the texts of ${field} as they are in the run.`,
  )
}
