// What a revoked key leaves, for the operator: shown, and paused only if the operator says so.
import type { KeyStore } from '../../access/key-secret.ts'
import { operator } from '../../domain/actor.ts'
import { toWireId } from '../../runtime/ids.ts'
import { pauseSchedules } from '../../schedules/manage-schedules.ts'
import type { KeyLeaves, LeftSchedule } from '../../store/keys/key-leaves.ts'
import { ask } from '../follow/prompt.ts'
import { commandLine } from '../output/command-line.ts'
import { canAsk, type Io } from '../output/io.ts'
import { type Column, renderTable } from '../output/print-table.ts'

const scheduleIdOf = ({ id }: Pick<LeftSchedule, 'id'>): string => toWireId('sched', id)

const scheduleColumns: readonly Column<LeftSchedule>[] = [
  { title: 'ID', cell: scheduleIdOf },
  { title: 'CRON', cell: ({ cron }) => cron },
  { title: 'TIME ZONE', cell: ({ timeZone }) => timeZone },
  { title: 'NEXT RUN', cell: ({ nextAt }) => nextAt },
  { title: 'NAME', cell: ({ name }) => name },
]
const webhookColumns: readonly Column<KeyLeaves['webhooks'][number]>[] = [
  { title: 'ID', cell: ({ id }) => toWireId('hook', id) },
  { title: 'URL', cell: ({ url }) => url },
]
const keyColumns: readonly Column<KeyLeaves['keys'][number]>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => name },
]

/** One paragraph for each kind of thing that goes on, with the commands that end it. Empty if nothing goes on. */
export function renderLeaves({ schedules, webhooks, keys }: KeyLeaves, customerId: string): string[] {
  return [
    ...paragraph('Schedules of the key still create runs. To pause them:', scheduleColumns, {
      rows: schedules,
      command: (schedule) => commandLine(`schedules pause ${scheduleIdOf(schedule)}`),
    }),
    ...paragraph('Webhooks of the key still receive messages. To delete them:', webhookColumns, {
      rows: webhooks,
      command: ({ id }) => commandLine(`webhooks delete ${toWireId('hook', id)}`),
    }),
    ...paragraph('Keys whose secret was shown to the key are still valid. To revoke them:', keyColumns, {
      rows: keys,
      command: ({ id }) => commandLine(`keys revoke ${id} --customer ${customerId}`),
    }),
  ]
}

interface Rows<Row> {
  readonly rows: readonly Row[]
  readonly command: (row: Row) => string
}

function paragraph<Row>(title: string, columns: readonly Column<Row>[], { rows, command }: Rows<Row>): string[] {
  if (rows.length === 0) return []
  return [`${title}\n\n${renderTable(columns, rows)}\n\n${rows.map((row) => `  ${command(row)}`).join('\n')}`]
}

/** Only "y" or "yes" is a yes: not an empty line, and not the end of the input. */
export async function askToPause(io: Io, schedules: readonly LeftSchedule[]): Promise<boolean> {
  if (schedules.length === 0 || !canAsk(io)) return false
  io.stderr.write(`Schedules of the key go on creating runs:\n\n${renderTable(scheduleColumns, schedules)}\n\n`)
  const left = new AbortController()
  const options = { signal: left.signal, onInterrupt: () => left.abort() }
  const answer = await ask(io, 'Pause them now? [y/N] ', options)
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '')
}

/** Returns the ids of those that were paused. One that was deleted meanwhile is left out. */
export const pauseLeft = async (
  { database }: Pick<KeyStore, 'database'>,
  customerId: string,
  schedules: readonly LeftSchedule[],
): Promise<string[]> => {
  const paused = await pauseSchedules(
    database,
    { customerId, by: operator },
    schedules.map(({ id }) => id),
  )
  return paused.map(scheduleIdOf)
}
