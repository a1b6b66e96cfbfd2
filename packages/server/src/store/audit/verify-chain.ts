// Checks the chain of a customer from its first entry to its head. Safe while the service runs: entries never change,
// and those that are added meanwhile come after the head that was read first.
import type { AuditEntry } from '@runwright/contract'
import type { Database } from '../postgres/database.ts'
import { type ChainHead, readChain } from './entries.ts'
import { entryHash } from './entry-hash.ts'

/** An entry as someone noted it. */
export interface NotedEntry {
  readonly seq: number
  readonly hash: string
}

export interface CheckedChain {
  readonly head: ChainHead
  /** The first thing that is wrong, as a sentence. Left out: nothing. */
  readonly problem?: string
}

const pageSize = 2_000

export async function verifyChain(database: Database, head: ChainHead, noted?: NotedEntry): Promise<CheckedChain> {
  const walk = new ChainWalk(noted)
  while (walk.seq < head.seq && walk.problem === undefined) {
    const { customerId, seq: upTo } = head
    const page = await readChain(database, { customerId, after: walk.seq, upTo, limit: pageSize })
    for (const entry of page) walk.step(entry)
    if (page.length === 0) walk.problem ??= missing(walk.seq + 1)
  }
  const problem = walk.problem ?? problemOfEnd(head, walk, noted)
  return { head, ...(problem !== undefined && { problem }) }
}

function problemOfEnd(head: ChainHead, { hash }: ChainWalk, noted: NotedEntry | undefined): string | undefined {
  if (hash !== head.hash) return 'The stored head is not the last entry.'
  if (noted && noted.seq > head.seq) return `${missing(head.seq + 1)} The head that was noted is ${noted.seq}.`
  return undefined
}

const missing = (seq: number): string => `Entry ${seq} is missing.`

/** Where the check is in the chain. */
class ChainWalk {
  readonly #noted: NotedEntry | undefined
  seq = 0
  hash: string | null = null
  problem: string | undefined

  constructor(noted: NotedEntry | undefined) {
    this.#noted = noted
  }

  step(entry: AuditEntry): void {
    this.problem ??= this.#problemOf(entry)
    this.seq = entry.seq
    this.hash = entry.hash
  }

  #problemOf(entry: AuditEntry): string | undefined {
    const { hash, ...hashed } = entry
    if (entry.seq !== this.seq + 1) return missing(this.seq + 1)
    if (hash !== entryHash({ ...hashed, previous_hash: this.hash })) {
      return `Entry ${entry.seq} does not match its hash: it was changed, or the hash of the entry before it was.`
    }
    if (this.#noted?.seq === entry.seq && this.#noted.hash !== hash) return `Entry ${entry.seq} is not the noted one.`
    return undefined
  }
}
