// Lets the support agent answer a message: node ask.mjs "<message>"
import { Runwright } from '@runwright/client'

const message = process.argv[2] ?? 'My desk lamp, order A-1001, arrived broken. Please refund it.'
const baseUrl = process.env.RUNWRIGHT_URL ?? 'http://127.0.0.1:8080'
const client = new Runwright({ baseUrl, apiKey: process.env.RUNWRIGHT_API_KEY ?? '' })

const { id } = await client.runs.create({
  input: { message },
  metadata: { agent: 'support', title: message.slice(0, 80) },
  routing_hint: 'skip_planning',
})
for await (const { type, payload } of client.events.stream(id)) {
  if (type === 'run.tool.invoked') console.error(`${payload.value.tool_name}: ${payload.value.tool_outcome}`)
  if (type === 'run.awaiting_input') {
    const { awaiting_input } = await client.runs.get(id, { include: ['awaiting_input'] })
    if (!awaiting_input) continue
    console.error(`The agent wants to call ${awaiting_input.tool} with ${JSON.stringify(awaiting_input.arguments)}.`)
    console.error(`Approve it: ${baseUrl}/console/#/runs/${id}`)
  }
}
const { status, event_payload } = await client.runs.get(id)
console.log(status === 'succeeded' ? event_payload.value?.content : `The run ${status}.`)
process.exitCode = status === 'succeeded' ? 0 : 1
