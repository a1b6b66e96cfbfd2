// Saves an agent's note. It supersedes earlier notes that say the same.
import type { MemoryKind } from '@runwright/contract'
import { derivedWireId } from '../runtime/derived-ids.ts'
import { fromWireId } from '../runtime/ids.ts'
import { areaOf, type MemoryScope } from '../store/memory/area.ts'
import { findActiveMemory } from '../store/memory/items.ts'
import type { MemoryReader } from '../store/memory/reader.ts'
import { type NewMemoryItem, saveMemoryItem } from '../store/memory/save.ts'
import { embedWithin, textToEmbed } from './embedders/embedder.ts'
import { isSameNote, type Note, sameNoteSimilarity } from './same-note.ts'
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
/** How many of the closest notes are compared. */
const maxCandidates = 10

/** Resolves with the item's id as on the wire, `mem_…`. */
export async function saveNote(parts: MemoryParts, note: NewNote, call: SavingCall): Promise<string> {
  const { signal, idempotencyKey, hasReadUntrusted = false, ...owner } = call
  const wireId = derivedWireId('mem', call.runId, idempotencyKey)
  const embedding = await embed(parts, note, signal)
  if (embedding) await parts.nearest.prepare(parts.database, call.customerId)
  signal.throwIfAborted()
  const item = { ...owner, ...note, untrusted: hasReadUntrusted, id: fromWireId('mem', wireId) as string, embedding }
  await saveMemoryItem(parts.database, item, (reader, version) => findDuplicates(parts, item, { reader, version }))
  return wireId
}

async function embed({ embedder }: MemoryParts, note: Note, signal: AbortSignal): Promise<NewMemoryItem['embedding']> {
  try {
    const vector = await embedWithin(embedder, textToEmbed(note), { seconds: embedSeconds, signal })
    return { model: embedder.model, vector }
  } catch {
    return undefined
  }
}

/** Valid while the customer's lock is held. */
interface LockedReader {
  readonly reader: MemoryReader
  readonly version: number
}

async function findDuplicates(
  { nearest }: MemoryParts,
  item: NewMemoryItem,
  { reader, version }: LockedReader,
): Promise<string[]> {
  if (!item.embedding) return []
  const { vector } = item.embedding
  const close = { area: areaOf(item), vector, limit: maxCandidates, minSimilarity: sameNoteSimilarity }
  const candidates = await nearest.find(reader, { ...close, version, underLock: true })
  const ids = candidates.map(({ id }) => id)
  const records = await findActiveMemory(reader, item.customerId, ids)
  return [...records.values()].filter((record) => isSameNote(record, item)).map(({ id }) => id)
}
