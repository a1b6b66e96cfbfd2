// Creates the run of one night. Start it from cron as often as you like: a day has one run.
import { Runwright } from '@runwright/client'

const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
const day = process.argv[2] ?? yesterday
const client = new Runwright({
  baseUrl: process.env.RUNWRIGHT_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.RUNWRIGHT_API_KEY ?? '',
})

const code = `
const totals = {}
for (const { region, amount } of input) totals[region] = (totals[region] ?? 0) + Number(amount)
return totals`

const steps = [
  { id: 'sales', tool: 'read_sales', input: { day: '{{input.day}}' }, max_attempts: 5 },
  { id: 'totals', tool: 'run_javascript', input: { input: '{{steps.sales.output.rows}}', code } },
  { id: 'report', tool: 'write_report', input: { day: '{{input.day}}', totals: '{{steps.totals.output.result}}' } },
]
const created = await client.runs.create(
  { input: { day }, metadata: { title: `Sales report of ${day}` }, plan: { steps } },
  { idempotencyKey: `sales-report-${day}` },
)
if (created.replayed) console.error(`There is a run for ${day} already: ${created.id}`)
const run = await client.runs.wait(created.id)
console.log(run.status, JSON.stringify(run.output))
process.exitCode = run.status === 'succeeded' ? 0 : 1
