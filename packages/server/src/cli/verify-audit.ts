// `runwright audit verify`: checks the chains of audit entries.
import { listHeads } from '../store/audit/entries.ts'
import { type CheckedChain, type NotedEntry, verifyChain } from '../store/audit/verify-chain.ts'
import { noSuchCustomer } from './erasure/erase-data.ts'
import { withLongStatements } from './erasure/long-statements.ts'
import type { OpenStore } from './open-store.ts'
import { Refusal } from './output/refusal.ts'
import { printFromStore } from './store-action.ts'

export interface VerifyAuditOptions {
  readonly head?: string
}

export const verifyAudit = (
  open: OpenStore,
  customerId: string | undefined,
  { head }: VerifyAuditOptions,
): Promise<void> =>
  printFromStore(open, async ({ database }) => {
    const noted = head === undefined ? undefined : parseHead(head)
    if (noted && customerId === undefined) throw new Refusal('--head needs the customer whose head it is.')
    const heads = await listHeads(database, customerId)
    if (customerId !== undefined && heads.length === 0) throw noSuchCustomer(customerId)
    return withLongStatements(database, async (longRunning) => {
      const lines: string[] = []
      for (const one of heads) lines.push(toLine(await verifyChain(longRunning, one, noted)))
      return lines.join('\n')
    })
  })

function parseHead(text: string): NotedEntry {
  const [, seq, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash }
  throw new Refusal(
    '--head must be a head as runwright audit verify prints it: a number, a colon and 64 hexadecimal digits.',
  )
}

function toLine({ head: { customerId, seq, hash }, problem }: CheckedChain): string {
  if (problem === undefined) return `${customerId}: ${counted(seq)}${seq > 0 ? `, head ${seq}:${hash}` : ''}`
  process.exitCode = 1
  return `${customerId}: BROKEN. ${problem}`
}

const counted = (entries: number): string => `${entries.toLocaleString('en-US')} ${entries === 1 ? 'entry' : 'entries'}`
