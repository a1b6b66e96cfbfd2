import { createHash } from 'node:crypto'
import type { AuditEntry } from '@runwright/contract'
import { expect, test } from 'vitest'
import { readHead, type Verdict, verifyChain } from './verify-chain.ts'

/** As docs/audit.md says it, with other code. */
const canonical = (value: unknown): string => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}

const chainOf = (length: number): AuditEntry[] => {
  const entries: AuditEntry[] = []
  for (let seq = 1; seq <= length; seq += 1) {
    const entry = {
      seq,
      at: '2026-11-15T09:30:02.551Z',
      action: 'key.create' as const,
      key_id: null,
      key_name: 'Käte „K“ \u2028',
      via: 'operator' as const,
      target: `key_${seq}`,
      details: { scopes: ['audit:read', 'a'], expires_at: null, Z: 1, a: { y: 1, x: [{ d: 1, c: 2 }] } },
      previous_hash: entries[0]?.hash ?? null,
    }
    entries.unshift({ ...entry, hash: createHash('sha256').update(canonical(entry)).digest('hex') })
  }
  return entries
}

async function* yieldAll(entries: readonly AuditEntry[]) {
  yield* entries
}

const verify = (entries: readonly AuditEntry[], noted?: { seq: number; hash: string }): Promise<Verdict> =>
  verifyChain({ entries: yieldAll(entries), noted })

test('a whole chain is verified, with its head', async () => {
  const chain = chainOf(5)
  expect(await verify(chain)).toEqual({ kind: 'verified', count: 5, head: { seq: 5, hash: chain[0]?.hash } })
  expect(await verify([])).toEqual({ kind: 'verified', count: 0, head: undefined })
})

test.each([
  ['changed', (chain: AuditEntry[]) => chain.map((entry) => (entry.seq === 3 ? { ...entry, via: 'api' } : entry)), 3],
  ['deleted', (chain: AuditEntry[]) => chain.filter(({ seq }) => seq !== 3), 2],
  ['deleted at the beginning', (chain: AuditEntry[]) => chain.slice(0, -1), 2],
  ['repeated', (chain: AuditEntry[]) => chain.flatMap((entry) => (entry.seq === 2 ? [entry, entry] : [entry])), 2],
] as const)('an entry that was %s is found', async (_, change, seq) => {
  expect(await verify(change(chainOf(5)) as AuditEntry[])).toMatchObject({ kind: 'broken', seq })
})

test('an entry that was written anew with a matching hash is found by the one after it', async () => {
  const [newest, changed, ...older] = chainOf(5)
  const { hash: _, ...entry } = { ...changed, target: 'forged' } as AuditEntry
  const forged = { ...entry, hash: createHash('sha256').update(canonical(entry)).digest('hex') }
  expect(await verify([forged, ...older])).toMatchObject({ kind: 'verified', count: 4 })
  expect(await verify([newest as AuditEntry, forged, ...older])).toMatchObject({ kind: 'broken', seq: 4 })
})

test('a head that was noted must be part of the chain', async () => {
  const chain = chainOf(5)
  const noted = { seq: 3, hash: chain[2]?.hash ?? '' }
  expect(await verify(chain, noted)).toMatchObject({ kind: 'verified' })
  expect(await verify(chain, { seq: 3, hash: 'f'.repeat(64) })).toMatchObject({ kind: 'not-in-chain' })
  expect(await verify(chain, { seq: 6, hash: 'f'.repeat(64) })).toMatchObject({ kind: 'not-in-chain' })
})

test('a head is read as the command prints it', () => {
  const hash = 'a1'.repeat(32)
  expect(readHead(` 12:${hash}\n`)).toEqual({ seq: 12, hash })
  expect(['', '12', `12:${hash}0`, `x:${hash}`].map(readHead)).toEqual([undefined, undefined, undefined, undefined])
})
