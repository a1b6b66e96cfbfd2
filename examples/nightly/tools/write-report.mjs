// Writes the report of one day into REPORTS_DIR. The file has the name of the day, so a repeated call changes nothing.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export default {
  name: 'write_report',
  description: 'Writes the report of one day and returns its path.',
  input: {
    type: 'object',
    properties: { day: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }, totals: { type: 'object' } },
    required: ['day', 'totals'],
    additionalProperties: false,
  },
  effect: 'idempotent',

  /**
   * @param {{ day: string, totals: object }} input
   * @param {{ toolCallId: string }} context
   */
  async run({ day, totals }, { toolCallId }) {
    const folder = process.env.REPORTS_DIR ?? 'reports'
    await mkdir(folder, { recursive: true })
    const path = join(folder, `${day}.json`)
    // Whole or not at all, also if the process dies here.
    await writeFile(`${path}.${toolCallId}`, `${JSON.stringify({ day, totals }, null, 2)}\n`)
    await rename(`${path}.${toolCallId}`, path)
    return { path }
  },
}
