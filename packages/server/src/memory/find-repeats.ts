// Finds the notes that say the same as new ones, among the stored notes and among the new ones themselves.
import { TimeSlice } from '../runtime/time-slices.ts'
import { areaOf } from '../store/memory/area.ts'
import { findActiveMemory } from '../store/memory/items.ts'
import type { MemoryRecord } from '../store/memory/rows.ts'
import type { LockedMemory, NewMemoryItem } from '../store/memory/save.ts'
import type { Replacement } from '../store/memory/successors.ts'
import { isSameNote, sameNoteSimilarity } from './same-note.ts'
import type { NearestItems } from './search/nearest-items.ts'

/** How many of the closest notes are compared. */
const maxCandidates = 10

export async function findRepeats(
  nearest: NearestItems,
  items: readonly NewMemoryItem[],
  locked: LockedMemory,
): Promise<Replacement[]> {
  const candidates = new Map<NewMemoryItem, string[]>()
  for (const item of items) candidates.set(item, await closestTo(nearest, item, locked))
  const ids = new Set([...candidates.values()].flat())
  const customerId = items[0]?.customerId ?? ''
  const stored: ReadonlyMap<string, MemoryRecord> =
    ids.size === 0 ? new Map() : await findActiveMemory(locked.reader, customerId, [...ids])
  const repeats: Replacement[] = []
  const slice = new TimeSlice()
  for (const [index, item] of items.entries()) {
    const close = (candidates.get(item) ?? []).flatMap((id) => stored.get(id) ?? [])
    const earlier = items.slice(0, index).filter((other) => isInSamePlace(other, item) && isClose(other, item))
    const same = [...close, ...earlier].filter((other) => isSameNote(other, item))
    repeats.push(...same.map(({ id }) => ({ by: item.id, replaced: id })))
    // To read the words of a long note takes a while.
    if (slice.isOver) await slice.next()
  }
  return repeats
}

async function closestTo(nearest: NearestItems, item: NewMemoryItem, locked: LockedMemory): Promise<string[]> {
  if (!item.embedding) return []
  const close = { area: areaOf(item), vector: item.embedding.vector, limit: maxCandidates }
  const query = { ...close, minSimilarity: sameNoteSimilarity, version: locked.version, underLock: true }
  return (await nearest.find(locked.reader, query)).map(({ id }) => id)
}

const isInSamePlace = (one: NewMemoryItem, other: NewMemoryItem): boolean =>
  one.workspaceId === other.workspaceId && one.subjectId === other.subjectId && one.kind === other.kind

/** Only notes with vectors are compared, as with stored notes. */
function isClose({ embedding: one }: NewMemoryItem, { embedding: other }: NewMemoryItem): boolean {
  if (!one || !other || one.vector.length !== other.vector.length) return false
  return one.vector.reduce((sum, value, index) => sum + value * (other.vector[index] ?? 0), 0) >= sameNoteSimilarity
}
