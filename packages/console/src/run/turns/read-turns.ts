// A page of the turns of a run, and whether it is the last one.
import type { Runwright } from '@runwright/client'
import type { TurnPage } from '@runwright/contract'

interface TurnsWanted {
  readonly after?: number
  readonly limit: number
  readonly signal: AbortSignal
}

/** A page also ends early when it has too many bytes, so only the turn behind it tells. */
export async function readTurns(
  client: Runwright,
  id: string,
  { after = 0, limit, signal }: TurnsWanted,
): Promise<TurnPage & { readonly isLast: boolean }> {
  const page = await client.runs.turns(id, { after, limit, signal })
  const rest =
    page.turns.length === 0 ? page : await client.runs.turns(id, { after: page.next_after, limit: 1, signal })
  return { ...page, isLast: rest.turns.length === 0 }
}
