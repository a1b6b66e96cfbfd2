// Verifies the chain of the audit log in the browser, from the newest entry back to the first, with nothing but what
// the API returns. It keeps one entry at a time.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { AuditEntry } from '@runwright/contract'

export interface Head {
  readonly seq: number
  readonly hash: string
}

export type Verdict =
  | { readonly kind: 'verified'; readonly count: number; readonly head: Head | undefined }
  | { readonly kind: 'broken'; readonly seq: number; readonly why: string }
  | { readonly kind: 'not-in-chain'; readonly noted: Head }

const isObject = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The names of all objects sorted by their UTF-16 units, as RFC 8785 wants. Entries have no fractions. */
const sorted = (_name: string, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)))
    : value

// Not `crypto.subtle`, which browsers offer only over HTTPS and on the same machine.
export const hashOf = ({ hash: _, ...entry }: AuditEntry): string =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(entry, sorted))))

/** `12:<64 hex digits>`, as `runwright audit verify` prints it. */
export const readHead = (text: string): Head | undefined => {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? []
  return seq !== undefined && hash !== undefined ? { seq: Number(seq), hash } : undefined
}

const problemOf = (entry: AuditEntry, newer: AuditEntry | undefined): string | undefined => {
  if (newer && entry.seq !== newer.seq - 1) return `The entry after it has the number ${newer.seq}: one is missing.`
  if (newer && newer.previous_hash !== entry.hash) return 'The entry after it names another hash.'
  if (hashOf(entry) !== entry.hash) return 'Its content does not match its hash.'
  return undefined
}

interface VerifyOptions {
  /** Newest first. */
  readonly entries: AsyncIterable<AuditEntry>
  /** A head that somebody has noted earlier: it must still be part of the chain. */
  readonly noted?: Head | undefined
  readonly onProgress?: (left: number) => void
}

export const verifyChain = async ({ entries, noted, onProgress }: VerifyOptions): Promise<Verdict> => {
  let newest: AuditEntry | undefined
  let newer: AuditEntry | undefined
  let count = 0
  let isNotedFound = noted === undefined
  for await (const entry of entries) {
    const why = problemOf(entry, newer)
    if (why !== undefined) return { kind: 'broken', seq: entry.seq, why }
    if (noted && entry.seq === noted.seq) isNotedFound = entry.hash === noted.hash
    newest ??= entry
    newer = entry
    count += 1
    if (count % 200 === 0) onProgress?.(entry.seq - 1)
  }
  if (newer && (newer.seq !== 1 || newer.previous_hash !== null)) {
    return { kind: 'broken', seq: newer.seq, why: 'The entries before it are missing.' }
  }
  if (noted && !isNotedFound) return { kind: 'not-in-chain', noted }
  return { kind: 'verified', count, head: newest && { seq: newest.seq, hash: newest.hash } }
}
