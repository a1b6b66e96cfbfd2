// Finds the cell of a key. The cells themselves know it: the key is where its customer is. What was found is used for a
// second; then the same cell is asked again, and the others only if the customer has left it. A move waits longer than
// that second before the new cell accepts writes.
//
// Callers without a valid key can neither overload the databases nor exhaust memory: concurrent reads of a cell share a
// statement, and the caches are bounded.
import { isKeyId } from '../../access/key-id.ts'
import { ShortLivedCache } from '../../access/short-lived-cache.ts'
import { sleep } from '../../runtime/backoff.ts'
import { GroupCommit } from '../../runtime/batcher.ts'
import { findKeyHomes } from '../../store/cells/key-homes.ts'
import type { MoveState } from '../../store/cells/move-state.ts'
import type { Database } from '../../store/postgres/database.ts'

export interface KnownCell {
  readonly name: string
  readonly database: Database
}

export type KeyRoute =
  | { readonly kind: 'cell'; readonly name: string }
  /** No cell has the key. */
  | { readonly kind: 'unknown' }
  /** A cell that may have the key does not answer. */
  | { readonly kind: 'unavailable' }
  /** Several cells have the key. */
  | { readonly kind: 'ambiguous' }

interface Found {
  readonly since: number
  readonly route: KeyRoute
}

type Home = MoveState | 'none'
type Answer = Home | 'no_answer'

interface KeyRoutesOptions {
  readonly cells: readonly KnownCell[]
  readonly maxAgeMs?: number
  /** A database that hangs must not delay the keys of other cells for longer. */
  readonly askWithinMs?: number
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

const maxEntries = 50_000
const rememberedMs = 3_600_000

export class KeyRoutes {
  readonly #now: () => number
  readonly #askWithinMs: number
  readonly #recent: ShortLivedCache<Found>
  /** Where keys were found last. */
  readonly #last: ShortLivedCache<{ readonly since: number; readonly name: string }>
  readonly #reads: ReadonlyMap<string, GroupCommit<string, Home>>

  constructor({ cells, maxAgeMs = 1_000, askWithinMs = 5_000, now = () => performance.now() }: KeyRoutesOptions) {
    this.#now = now
    this.#askWithinMs = askWithinMs
    this.#recent = new ShortLivedCache({ maxEntries, maxAgeMs })
    this.#last = new ShortLivedCache({ maxEntries, maxAgeMs: rememberedMs })
    this.#reads = new Map(
      cells.map(({ name, database }) => [
        name,
        new GroupCommit<string, Home>({
          commit: (keyIds) => readHomes(database, keyIds),
          maxItems: 1_000,
          nextLaneAbove: 0,
        }),
      ]),
    )
  }

  async find(keyId: string): Promise<KeyRoute> {
    if (!isKeyId(keyId)) return { kind: 'unknown' }
    const since = this.#now()
    const recent = this.#recent.get(keyId, since)
    if (recent) return recent.route
    const route = await this.#look(keyId, this.#last.get(keyId, since)?.name)
    if (route.kind === 'cell') this.#last.set(keyId, { since, name: route.name })
    if (route.kind === 'cell' || route.kind === 'unknown') this.#recent.set(keyId, { since, route })
    return route
  }

  async #look(keyId: string, last: string | undefined): Promise<KeyRoute> {
    const answer = last === undefined ? 'none' : await this.#ask(last, keyId)
    // The cell says itself that its database does not answer.
    if (last !== undefined && (answer === 'no_answer' || livesHere(answer))) return { kind: 'cell', name: last }
    const answers = await Promise.all(
      [...this.#reads.keys()].map(async (name) => [name, await this.#ask(name, keyId)] as const),
    )
    return routeOf(new Map(answers))
  }

  async #ask(name: string, keyId: string): Promise<Answer> {
    const reads = this.#reads.get(name)
    if (!reads) return 'none'
    const isOver = new AbortController()
    const late = sleep(this.#askWithinMs, isOver.signal).then(() => 'no_answer' as const)
    try {
      return await Promise.race([reads.submit(keyId).catch(() => 'no_answer' as const), late])
    } finally {
      isOver.abort()
    }
  }
}

async function readHomes(database: Database, keyIds: readonly string[]): Promise<Home[]> {
  const found = await findKeyHomes(database, [...new Set(keyIds)])
  return keyIds.map((keyId) => found.get(keyId) ?? 'none')
}

const isHome = (answer: Answer): answer is MoveState => typeof answer === 'object'
const livesHere = (answer: Answer): boolean =>
  isHome(answer) && (answer.move === null || ['copying', 'leaving', 'held'].includes(answer.move))

export function routeOf(answers: ReadonlyMap<string, Answer>): KeyRoute {
  const living = [...answers].filter(([, answer]) => livesHere(answer)).map(([name]) => name)
  // Between the switch of a move and the opening of the new cell, the customer lives in neither.
  const next = [...answers.values()].filter(isHome).find(({ move }) => move === 'moved')?.cell
  const names =
    living.length > 0 ? living : [...answers.keys()].filter((name) => name === next && isHomeAt(answers, name))
  if (names.length > 1) return { kind: 'ambiguous' }
  const [name] = names
  if (name !== undefined) return { kind: 'cell', name }
  return { kind: [...answers.values()].includes('no_answer') ? 'unavailable' : 'unknown' }
}

const isHomeAt = (answers: ReadonlyMap<string, Answer>, name: string): boolean => isHome(answers.get(name) ?? 'none')
