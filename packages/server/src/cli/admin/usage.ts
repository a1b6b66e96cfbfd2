// `runwright usage` asks a service; `runwright usage verify` checks the database of this installation.
import type { Command } from 'commander'
import type { OpenStore } from '../database/open-store.ts'
import type { Io } from '../output/io.ts'
import { usageCommand as remoteUsageCommand } from '../remote/usage.ts'
import type { VerifyOptions } from './verify-usage.ts'

/** `open` is loaded on demand: asking a service needs no database. */
export function usageCommand(io: Io, open: () => Promise<OpenStore>): Command {
  const command = remoteUsageCommand(io)
  command
    .command('verify')
    .description(
      'Recompute usage from its records, in the database of this installation, and compare it with the totals and runs. ' +
        'Exits with code 1 if they differ.',
    )
    .option('--customer <id>', 'check only this customer')
    .option('--repair', 'replace the totals of months that differ')
    .action(async (options: VerifyOptions) => (await import('./verify-usage.ts')).verifyUsage(await open(), options))
  return command
}
