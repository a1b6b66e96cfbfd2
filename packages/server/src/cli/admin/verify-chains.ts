// Checks the chains of audit entries, for `runwright audit verify`.
import { listHeads } from '../../store/audit/entries.ts'
import { type CheckedChain, type NotedEntry, verifyChain } from '../../store/audit/verify-chain.ts'
import type { Database } from '../../store/postgres/database.ts'
import { withLongStatements } from '../database/long-statements.ts'
import { commandLine } from '../output/command-line.ts'
import { Refusal } from '../output/refusal.ts'
import { noSuchCustomer } from './erase-data.ts'

export interface VerifyOptions {
  readonly customer: string | undefined
  /** A head that was printed earlier. */
  readonly head?: string | undefined
}

/** Returns a line for each customer. Sets the exit code if a chain is broken. */
export async function verifyChains(database: Database, { customer, head }: VerifyOptions): Promise<string> {
  const noted = head === undefined ? undefined : parseHead(head)
  if (noted && customer === undefined) throw new Refusal('--head needs the customer whose head it is.')
  const heads = await listHeads(database, customer)
  if (customer !== undefined && heads.length === 0) throw noSuchCustomer(customer)
  return withLongStatements(database, async (longRunning) => {
    const lines: string[] = []
    for (const one of heads) lines.push(toLine(await verifyChain(longRunning, one, noted)))
    return lines.join('\n')
  })
}

function parseHead(text: string): NotedEntry {
  const [, seq, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash }
  throw new Refusal(
    `--head must be a head as ${commandLine('audit verify')} prints it: a number, a colon and 64 hexadecimal digits.`,
  )
}

function toLine({ head: { customerId, seq, hash }, problem }: CheckedChain): string {
  if (problem === undefined) return `${customerId}: ${counted(seq)}${seq > 0 ? `, head ${seq}:${hash}` : ''}`
  process.exitCode = 1
  return `${customerId}: BROKEN. ${problem}`
}

const counted = (entries: number): string => `${entries.toLocaleString('en-US')} ${entries === 1 ? 'entry' : 'entries'}`
