// Splits what a client sent with a run into what may be stored in the clear and what has to be sealed, and puts the two
// together again.
//
// In the clear a tagged value is "***" (`mask`), or its key or element is missing (`drop`). Texts elsewhere in which a
// tagged value stands have "***" in its stead, and a key that shows one is missing with all below it. What was there is
// noted with its place, in the order of the document: so elements that are missing can be put back one after another.
import type { SensitivityTag } from '@runwright/contract'
import type { JsonLocation } from '../json/location.ts'
import { gone, type Kept, type Leaf } from '../json/map-leaves.ts'
import { PlaceTree } from './place-tree.ts'
import { mask } from './replace-tagged.ts'
import { SecretKeeper } from './secret-keeper.ts'
import type { TaggedLocation } from './tagged-locations.ts'

/** What of a run may hold secrets, under the names that it has on the wire. */
export interface SentDocument {
  readonly input: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  readonly attachment_refs?: readonly string[] | undefined
  readonly sensitivity_tags?: readonly SensitivityTag[] | undefined
}

/** What stood at a place; `true`: nothing stands there now. */
type Taken = readonly [location: JsonLocation, value: unknown, isGone?: true]

export interface SealedPart {
  readonly taken: readonly Taken[]
  readonly hidden: readonly string[]
}

export interface Split<Plan> {
  /** Without its secrets; `input` and `metadata` may be "***" whole. */
  readonly clear: SentDocument
  /** With placeholders. */
  readonly plan: Plan
  readonly sealed: SealedPart
}

/** Undefined when nothing in it is secret. */
export function splitSecrets<Plan>(sent: SentDocument, plan: Plan): Split<Plan> | undefined {
  const keeper = SecretKeeper.find(sent, sent.sensitivity_tags)
  if (keeper === undefined) return undefined
  const takeOut = new TakeOut(keeper)
  const clear = takeOut.from(sent, keeper.locations) as Partial<SentDocument>
  const hiddenPlan = plan === undefined ? plan : keeper.hideInPlan(plan, planNames)
  // Texts that models will see are gone through here already: what is hidden in them keeps its number for ever.
  void keeper.shown
  return {
    clear: { ...clear, input: clear.input ?? {}, metadata: clear.metadata ?? {} },
    plan: hiddenPlan as Plan,
    sealed: { taken: takeOut.taken, hidden: keeper.hidden },
  }
}

/** What holds a plan together is never changed: names are no place for a secret. */
export const planNames: Kept = {
  version: true,
  steps: {
    '*': {
      id: true,
      depends_on: true,
      tool: true,
      tools: true,
      approval: true,
      max_attempts: true,
      timeout_seconds: true,
      await_input: { input_kind: true },
    },
  },
}

/** Takes a `clear` that nobody else holds: it is changed. Parts of the document that are not in it stay out. */
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

class TakeOut {
  readonly taken: Taken[] = []
  readonly #keeper: SecretKeeper
  readonly #location: (string | number)[] = []

  constructor(keeper: SecretKeeper) {
    this.#keeper = keeper
  }

  from(document: SentDocument, locations: readonly TaggedLocation[]): unknown {
    const secrets = new PlaceTree<TaggedLocation>()
    for (const secret of locations) secrets.grow(secret.location).note = secret
    return this.#take(document, secrets)
  }

  #take(value: unknown, secrets: PlaceTree<TaggedLocation> | undefined): unknown {
    if (secrets?.note) return secrets.note.redaction === 'drop' ? this.#remove(value) : this.#replace(value, mask)
    if (typeof value !== 'object' || value === null) return this.#takeLeaf(value as Leaf)
    const kept: [string | number, unknown][] = []
    for (const [part, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      this.#location.push(part)
      const shown = this.#showsSecret(part) ? this.#remove(member) : this.#take(member, secrets?.branches.get(part))
      this.#location.pop()
      if (shown !== gone) kept.push([part, shown])
    }
    return Array.isArray(value) ? kept.map(([, shown]) => shown) : Object.fromEntries(kept)
  }

  #takeLeaf(leaf: Leaf): unknown {
    const shown = this.#keeper.maskLeaf(leaf)
    return shown === leaf ? leaf : this.#replace(leaf, shown)
  }

  #showsSecret(part: string | number): boolean {
    return typeof part === 'string' && this.#keeper.scrubText(part) !== part
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
