// Splits what a client sent with a run into a part that is stored as plain text and a part that is encrypted, and joins
// the two again.
//
// In the plain part a tagged value is "***" (`mask`), or its key or array element is missing (`drop`). Other texts have
// "***" in place of a tagged value, and a key that contains one is missing together with its value. The encrypted part
// lists the original values with their locations, in document order, so that missing elements can be inserted one by
// one.
import type { JsonLocation, SensitivityTag } from '@runwright/contract'
import { gone, type Kept, type Leaf } from '../json/map-leaves.ts'
import { LocationTree } from './location-tree.ts'
import { mask } from './mask.ts'
import { newSearch } from './scrubber.ts'
import { SecretKeeper } from './secret-keeper.ts'
import { type TaggedLocation, taggedLocations } from './tagged-locations.ts'

/** The fields of a create request that may contain secrets, named as on the wire. */
export interface SentDocument {
  readonly input: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  readonly attachment_refs?: readonly string[] | undefined
  readonly sensitivity_tags?: readonly SensitivityTag[] | undefined
}

/** The original value at a location; `isGone` when the plain part has nothing there. */
type TakenValue = readonly [location: JsonLocation, value: unknown, isGone?: true]

export interface SealedPart {
  readonly taken: readonly TakenValue[]
  /** Parts of texts, see `SecretKeeper.hidden`. */
  readonly hidden: readonly string[]
}

interface Split<Plan> {
  /** Without the secrets; `input` or `metadata` as a whole may be "***". */
  readonly clear: SentDocument
  /** With placeholders in place of the secrets. */
  readonly plan: Plan
  readonly sealed: SealedPart
  /** Masks the secrets in another text of the request. */
  readonly maskText: (text: string) => string
}

/**
 * Undefined when the document has no secrets. Yields where the work can be interrupted: a large document takes longer
 * than the event loop may be held. `hidden` are parts of texts that the plan names already, see `SecretKeeper.hidden`.
 */
export function* splitSecrets<Plan>(
  sent: SentDocument,
  plan: Plan,
  locations: readonly TaggedLocation[] = taggedLocations(sent, sent.sensitivity_tags),
  hidden: readonly string[] = [],
): Generator<void, Split<Plan> | undefined> {
  if (locations.length === 0) return undefined
  yield
  const keeper = new SecretKeeper({ document: sent, locations, hidden })
  yield
  const extractor = new SecretExtractor(keeper)
  const clear = (yield* extractor.extract(sent, locations)) as Partial<SentDocument>
  yield
  const hiddenPlan = plan === undefined ? plan : yield* keeper.hideInPlan(plan, planNames)
  yield
  // Hides the texts that models will see now, so that the numbers of their hidden parts are stored and never change.
  yield* keeper.prepareShown()
  return {
    clear: { ...clear, input: clear.input ?? {}, metadata: clear.metadata ?? {} },
    plan: hiddenPlan as Plan,
    sealed: { taken: extractor.taken, hidden: keeper.hidden },
    maskText: (text) => keeper.scrubText(text),
  }
}

/** The parts of a plan that are never changed: ids and other names must not contain secrets. */
export const planNames: Kept = {
  version: true,
  judge: true,
  steps: {
    '*': {
      id: true,
      depends_on: true,
      agent: true,
      judge: true,
      tool: true,
      tools: true,
      approval: true,
      max_attempts: true,
      timeout_seconds: true,
      await_input: { input_kind: true, reason_code: {}, prompt: {} },
      instruction: {},
      input: {},
      output_schema: {},
    },
  },
}

/** Modifies and returns `clear`. Skips values of top-level fields that `clear` does not have. */
export function joinSecrets(clear: SentDocument, { taken }: SealedPart): SentDocument {
  for (const [location, value, isGone] of taken) {
    if (!Object.hasOwn(clear, location[0] as string)) continue
    const part = location.at(-1) as string | number
    const holder = location.slice(0, -1).reduce<unknown>(memberOf, clear) as Record<string | number, unknown>
    if (isGone && Array.isArray(holder)) holder.splice(part as number, 0, value)
    else holder[part] = value
  }
  return clear
}

const memberOf = (holder: unknown, part: string | number): unknown => (holder as Record<string | number, unknown>)[part]

type SecretTree = LocationTree<TaggedLocation> | undefined

/** How many values are looked at before the work can be interrupted. */
const partsAtOnce = 1_000

class SecretExtractor {
  readonly taken: TakenValue[] = []
  readonly #keeper: SecretKeeper
  readonly #location: (string | number)[] = []
  readonly #work = newSearch()
  #taken = 0

  constructor(keeper: SecretKeeper) {
    this.#keeper = keeper
  }

  /** Yields where the work can be interrupted. */
  *extract(document: SentDocument, locations: readonly TaggedLocation[]): Generator<void, unknown> {
    const secrets = new LocationTree<TaggedLocation>()
    for (const secret of locations) secrets.ensure(secret.location).value = secret
    return yield* this.#takeContainer(document, secrets)
  }

  *#takeContainer(value: object, secrets: SecretTree): Generator<void, unknown> {
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const [index, item] of value.entries()) {
        const shown = yield* this.#takeAt(index, item, secrets?.children.get(index))
        if (shown !== gone) items.push(shown)
      }
      return items
    }
    const members: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const shown = yield* this.#takeAt(key, (value as Record<string, unknown>)[key], secrets?.children.get(key))
      if (shown !== gone) members[key] = shown
    }
    return members
  }

  *#takeAt(part: string | number, value: unknown, secrets: SecretTree): Generator<void, unknown> {
    this.#taken += 1
    if (this.#taken % partsAtOnce === 0) yield
    this.#location.push(part)
    const isContainer = typeof value === 'object' && value !== null
    const shown =
      this.#replaceWhole(part, value, secrets) ??
      (isContainer ? yield* this.#takeContainer(value, secrets) : this.#takeLeaf(value as Leaf))
    this.#location.pop()
    return shown
  }

  /** Undefined if the value is not replaced as a whole. */
  #replaceWhole(part: string | number, value: unknown, secrets: SecretTree): unknown {
    if (this.#hasSecret(part)) return this.#remove(value)
    if (!secrets?.value) return undefined
    return secrets.value.redaction === 'drop' ? this.#remove(value) : this.#replace(value, mask)
  }

  #takeLeaf(leaf: Leaf): unknown {
    const shown = this.#keeper.maskLeaf(leaf, this.#work)
    return shown === leaf ? leaf : this.#replace(leaf, shown)
  }

  #hasSecret(part: string | number): boolean {
    return typeof part === 'string' && this.#keeper.scrubText(part, this.#work) !== part
  }

  #replace(value: unknown, shown: unknown): unknown {
    this.taken.push([[...this.#location], value])
    return shown
  }

  #remove(value: unknown): typeof gone {
    this.taken.push([[...this.#location], value, true])
    return gone
  }
}
