// Reads an invoice into JSON that matches a schema: node extract.mjs <file>
import { readFileSync } from 'node:fs'
import { Runwright } from '@runwright/client'

const nextToThisFile = (name) => new URL(name, import.meta.url)
const document = readFileSync(process.argv[2] ?? nextToThisFile('invoice.txt'), 'utf8')
const output_schema = JSON.parse(readFileSync(nextToThisFile('invoice-schema.json'), 'utf8'))

const client = new Runwright({
  baseUrl: process.env.RUNWRIGHT_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.RUNWRIGHT_API_KEY ?? '',
})
const { id } = await client.runs.create({
  input: { task: 'Extract the invoice. Copy values as they are; do not compute any.', document, output_schema },
  metadata: { title: 'Extract an invoice' },
  run_class: 'short',
  routing_hint: 'skip_planning',
})
const run = await client.runs.wait(id)
if (run.status === 'succeeded') {
  console.log(JSON.stringify(run.output, null, 2))
} else {
  const { failure } = await client.runs.get(id, { include: ['failure'] })
  console.error(`The run ${run.status}: ${failure?.reason_code}. ${failure?.message ?? ''}`)
  process.exitCode = 1
}
