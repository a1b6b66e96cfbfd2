// Reminds an agent of what memory holds about a task, before it begins. A help, never a hindrance: when it fails or takes too
// long the agent goes without.
import { sleep } from '../runtime/backoff.ts'
import type { MemoryScope } from '../store/memory/area.ts'
import type { MemoryRecord } from '../store/memory/rows.ts'
import { readMemoryVersion } from '../store/memory/version.ts'
import type { MemoryParts } from './search/memory-parts.ts'
import { searchNotes } from './search/search-notes.ts'

export interface RecallOptions {
  readonly signal: AbortSignal
  /** Hears what went wrong. */
  readonly onFailure: (error: unknown) => void
  readonly seconds?: number
}

const maxNotes = 10
// Measured with the offline model: notes that answer a question come to 0.34 and more, others rarely above 0.31.
const minSimilarity = 0.33

export async function recallNotes(
  parts: MemoryParts,
  about: MemoryScope & { readonly text: string },
  { signal, onFailure, seconds = 2 }: RecallOptions,
): Promise<MemoryRecord[]> {
  const found = new AbortController()
  const late = sleep(seconds * 1000, AbortSignal.any([signal, found.signal])).then(() => [])
  try {
    return await Promise.race([search(parts, about, { signal, seconds }), late])
  } catch (error) {
    onFailure(error)
    return []
  } finally {
    found.abort()
  }
}

async function search(
  parts: MemoryParts,
  { text, ...scope }: MemoryScope & { readonly text: string },
  { signal, seconds }: { readonly signal: AbortSignal; readonly seconds: number },
): Promise<MemoryRecord[]> {
  // Most customers may never have saved anything: then the model need not be asked.
  if ((await readMemoryVersion(parts.database, scope.customerId)) === 0) return []
  const query = { text, limit: maxNotes, embedSeconds: seconds, minSimilarity, signal }
  return (await searchNotes(parts, scope, query)).map(({ record }) => record)
}
