// Reads the file named by `RUNWRIGHT_CELLS`. An error names the file and the field, but never repeats a value, which
// may contain a password.
import { describeIssue } from '@runwright/contract'
import { z } from 'zod'
import { parseConfigJson } from '../domain/json/config-json.ts'
import { readJsonFile } from '../runtime/files/json-file.ts'
import { SettingsError } from '../runtime/settings/settings-error.ts'
import type { CellAddress } from './cell.ts'

const cellName = /^[a-z0-9-]{1,32}$/
const cellSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  database: z.string().regex(/^postgres(?:ql)?:\/\//),
})
const fileSchema = z.strictObject({ cells: z.record(z.string().regex(cellName), cellSchema) })

/** In the order of the file. */
export function readCells(path: string | undefined): readonly CellAddress[] {
  if (path === undefined) {
    throw new SettingsError('RUNWRIGHT_CELLS is not set. Set it to the path of the file that lists the cells.')
  }
  const value = readJsonFile('RUNWRIGHT_CELLS', path, parseConfigJson)
  const file = fileSchema.safeParse(value)
  if (!file.success) {
    throw new SettingsError(`RUNWRIGHT_CELLS: in ${path}, ${describeIssue({ error: file.error, value })}.`)
  }
  return Object.entries(file.data.cells).map(([name, cell]) => ({ name, ...cell }))
}
