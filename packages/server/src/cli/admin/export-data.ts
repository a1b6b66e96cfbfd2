// Writes the data of a customer or a subject as NDJSON: one JSON object per line, to a file or to stdout.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { type IdPrefix, toWireId } from '../../runtime/ids.ts'
import { type ExportedRecord, exportData } from '../../store/erasure/export.ts'
import type { DataOwner } from '../../store/erasure/runs-of.ts'
import type { Database } from '../../store/postgres/database.ts'

/** Returns how many lines it has written. */
export async function writeExport(database: Database, owner: DataOwner, file: string | undefined): Promise<number> {
  const stream = file === undefined ? process.stdout : createWriteStream(file, { mode: 0o600 })
  if (file !== undefined) await once(stream, 'open')
  let lines = 0
  await exportData(database, owner, async (records) => {
    lines += records.length
    const text = records.map((record) => `${JSON.stringify(toLine(record))}\n`).join('')
    if (text !== '' && !stream.write(text)) await once(stream, 'drain')
  })
  if (file !== undefined) {
    stream.end()
    await once(stream, 'close')
  }
  return lines
}

/** Of the field `id`. */
const ownPrefixes: Readonly<Record<string, IdPrefix>> = { run: 'run', memory: 'mem', schedule: 'sched' }

/** With ids as the API shows them. */
function toLine({ record, fields }: ExportedRecord): Readonly<Record<string, unknown>> {
  const own = ownPrefixes[record]
  const wireId = (prefix: IdPrefix, id: unknown) => (typeof id === 'string' ? toWireId(prefix, id) : null)
  return {
    record,
    ...fields,
    ...(own && { id: wireId(own, fields.id) }),
    ...('run_id' in fields && { run_id: wireId('run', fields.run_id) }),
    ...('last_run_id' in fields && { last_run_id: wireId('run', fields.last_run_id) }),
    ...('forked_from' in fields && { forked_from: wireId('run', fields.forked_from) }),
    ...('superseded_by' in fields && { superseded_by: wireId('mem', fields.superseded_by) }),
  }
}
