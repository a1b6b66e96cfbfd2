// `runwright audit list` asks a service; `runwright audit verify` checks the database of this installation.
import type { Command } from 'commander'
import type { OpenStore } from '../database/open-store.ts'
import { printFromStore } from '../database/store-action.ts'
import type { Io } from '../output/io.ts'
import { auditCommand as remoteAuditCommand } from '../remote/audit.ts'

/** `open` is loaded on demand: asking a service needs no database. */
export function auditCommand(io: Io, open: () => Promise<OpenStore>): Command {
  const command = remoteAuditCommand(io).description('Show who did what, and check that nothing of it was changed.')
  command
    .command('verify')
    .description(
      'Check the chains of audit entries in the database of this installation, and print the head of each. ' +
        'Exits with code 1 if an entry was changed, deleted or added.',
    )
    .argument('[customer]', 'check only this customer')
    .option('--head <seq:hash>', 'a head that was printed earlier: it must still be part of the chain')
    .action(async (customer: string | undefined, { head }: { readonly head?: string }) => {
      const { verifyChains } = await import('./verify-chains.ts')
      await printFromStore(await open(), ({ database }) => verifyChains(database, { customer, head }))
    })
  return command
}
