// `runwright audit list`: who did what, as a table.
import type { AuditEntry, AuditQuery } from '@runwright/client'
import { Command } from 'commander'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { shortLine } from '../output/safe-text.ts'
import { jsonOption, type RemoteOptions, remoteCommand, wholeNumber, withService } from './remote-command.ts'

interface Options extends RemoteOptions {
  readonly action?: NonNullable<AuditQuery['action']>
  readonly key?: string
  readonly target?: string
  readonly limit: number
  readonly cursor?: string
}

export const auditCommand = (io: Io): Command =>
  new Command('audit').description('Show who did what.').addCommand(listAuditCommand(io))

function listAuditCommand(io: Io): Command {
  return remoteCommand('list', 'list who did what, newest first')
    .option('--action <action>', 'only this kind of act, such as run.signal or key.create')
    .option('--key <key id>', 'only what this API key did')
    .option('--target <id>', 'only what was done to this run, key, webhook or memory item')
    .option('--limit <number>', 'how many, up to 200', wholeNumber, 50)
    .option('--cursor <cursor>', 'continue after the previous page')
    .option(...jsonOption)
    .action(({ action, key, target, limit, cursor, json, url }: Options) =>
      withService(io, { url }, async ({ client }) => {
        const page = await client.audit.list({ action, key_id: key, target, limit, cursor })
        if (json) return printJson(io, page)
        printText(io, page.entries.length === 0 ? 'There are no entries.' : renderTable(columns, page.entries))
        if (page.next_cursor) io.stderr.write(`More: add --cursor ${page.next_cursor}\n`)
      }),
    )
}

const columns: readonly Column<AuditEntry>[] = [
  { title: 'SEQ', cell: ({ seq }) => seq },
  { title: 'AT', cell: ({ at }) => at },
  { title: 'ACTION', cell: ({ action }) => action },
  { title: 'TARGET', cell: ({ target }) => target },
  { title: 'BY', cell: ({ key_id }) => key_id ?? 'operator' },
  { title: 'KEY NAME', cell: ({ key_name }) => key_name && shortLine(key_name, 40) },
  { title: 'VIA', cell: ({ via }) => via },
  { title: 'DETAILS', cell: ({ details }) => shortLine(JSON.stringify(details), 80) },
]
