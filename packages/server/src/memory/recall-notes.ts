// Finds the notes about a task for an agent's prompt. If that fails or takes too long, the agent starts without notes.
import { sleep } from '../runtime/backoff.ts'
import { linkSignals } from '../runtime/linked-signal.ts'
import type { MemoryScope } from '../store/memory/area.ts'
import type { MemoryRecord } from '../store/memory/rows.ts'
import { readMemoryVersion } from '../store/memory/version.ts'
import type { MemoryParts } from './search/memory-parts.ts'
import { searchNotes } from './search/search-notes.ts'

interface RecallOptions {
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown) => void
  readonly seconds?: number
}

const maxNotes = 10
// Measured with the offline model: notes that answer a question reach at least 0.34, others rarely more than 0.31.
const minSimilarity = 0.33

export async function recallNotes(
  parts: MemoryParts,
  about: MemoryScope & { readonly text: string },
  { signal, onFailure, seconds = 2 }: RecallOptions,
): Promise<MemoryRecord[]> {
  const ended = new AbortController()
  const either = linkSignals(signal, ended.signal)
  const timeout = sleep(seconds * 1000, either.signal).then(() => [])
  try {
    return await Promise.race([search(parts, about, { signal: either.signal, seconds }), timeout])
  } catch (error) {
    onFailure(error)
    return []
  } finally {
    ended.abort()
    either.release()
  }
}

async function search(
  parts: MemoryParts,
  { text, ...scope }: MemoryScope & { readonly text: string },
  { signal, seconds }: { readonly signal: AbortSignal; readonly seconds: number },
): Promise<MemoryRecord[]> {
  // Many customers have no notes at all; this saves an embedding for them.
  if ((await readMemoryVersion(parts.database, scope.customerId)) === 0) return []
  const query = { text, limit: maxNotes, embedSeconds: seconds, minSimilarity, signal }
  return (await searchNotes(parts, scope, query)).map(({ record }) => record)
}
