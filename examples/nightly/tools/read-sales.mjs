// Reads the sales of one day from SALES_DIR, a folder of CSV files that the shop writes.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export default {
  name: 'read_sales',
  description: 'Returns the sales of one day as a list of rows.',
  input: {
    type: 'object',
    properties: { day: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' } },
    required: ['day'],
    additionalProperties: false,
  },
  effect: 'read',

  /** @param {{ day: string }} input */
  async run({ day }) {
    const folder = process.env.SALES_DIR ?? 'examples/nightly/sales'
    const [head = '', ...lines] = (await readFile(join(folder, `${day}.csv`), 'utf8')).trim().split('\n')
    const names = head.split(',')
    return { rows: lines.map((line) => Object.fromEntries(line.split(',').map((cell, n) => [names[n], cell]))) }
  },
}
