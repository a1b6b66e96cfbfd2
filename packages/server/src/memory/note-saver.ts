// Saves agents' notes. A note supersedes earlier notes that say the same.
import type { MemoryKind } from '@runwright/contract'
import { derivedWireId } from '../runtime/derived-ids.ts'
import { fromWireId } from '../runtime/ids.ts'
import type { MemoryScope } from '../store/memory/area.ts'
import type { NewMemoryItem } from '../store/memory/save.ts'
import { type Embedder, embedWithin, textToEmbed } from './embedders/embedder.ts'
import type { Note } from './same-note.ts'
import { SaveBatches } from './save-batches.ts'
import type { MemoryParts } from './search/memory-parts.ts'

export interface NewNote extends Note {
  readonly kind: MemoryKind
  readonly tags: readonly string[]
  /** 0 to 1; null or left out: not known. */
  readonly confidence?: number | null
}

export interface SavingCall extends MemoryScope {
  readonly runId: string
  /** Saves once per key, however often the call is repeated. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  /** The run has read untrusted text. The note is marked for good. */
  readonly hasReadUntrusted?: boolean
}

/** Includes loading the offline model on first use. Without a vector the item is saved anyway, and gets one later. */
const embedSeconds = 10

export class NoteSaver {
  readonly #embedder: Embedder
  readonly #batches: SaveBatches

  constructor({ database, embedder, nearest }: MemoryParts) {
    this.#embedder = embedder
    this.#batches = new SaveBatches(database, nearest)
  }

  /** Resolves with the item's id as on the wire, `mem_…`. */
  async save(note: NewNote, call: SavingCall): Promise<string> {
    const { signal, idempotencyKey, hasReadUntrusted = false, ...owner } = call
    const wireId = derivedWireId('mem', call.runId, idempotencyKey)
    const embedding = await embed(this.#embedder, note, signal)
    signal.throwIfAborted()
    const id = fromWireId('mem', wireId) as string
    await this.#batches.save({ ...owner, ...note, untrusted: hasReadUntrusted, id, embedding })
    return wireId
  }
}

async function embed(embedder: Embedder, note: Note, signal: AbortSignal): Promise<NewMemoryItem['embedding']> {
  try {
    const vector = await embedWithin(embedder, textToEmbed(note), { seconds: embedSeconds, signal })
    return { model: embedder.model, vector }
  } catch {
    return undefined
  }
}
