// Researches both sides of a question at the same time, waits for an approval, and writes a report.
import { Runwright } from '@runwright/client'

const question = process.argv[2] ?? 'Should a small team write its services in TypeScript?'
const baseUrl = process.env.RUNWRIGHT_URL ?? 'http://127.0.0.1:8080'
const client = new Runwright({ baseUrl, apiKey: process.env.RUNWRIGHT_API_KEY ?? '' })

const run = await client.runs.create({
  input: { question },
  metadata: { title: question },
  plan: {
    steps: [
      { id: 'for', depends_on: [], agent: 'researcher', instruction: 'Find what speaks for it: {{input.question}}' },
      {
        id: 'against',
        depends_on: [],
        agent: 'researcher',
        instruction: 'Find what speaks against it: {{input.question}}',
      },
      {
        id: 'review',
        depends_on: ['for', 'against'],
        await_input: {
          input_kind: 'approval',
          prompt: 'Write the report from this?\n\nFor: {{steps.for.content}}\n\nAgainst: {{steps.against.content}}',
        },
      },
      {
        id: 'report',
        instruction: 'Write one page from what the other steps found, with a recommendation.',
        tools: [],
      },
    ],
  },
})

for await (const event of client.events.stream(run.id)) {
  if (event.type === 'run.tool.invoked') console.error(`read a page: ${event.payload.value.tool_outcome}`)
  if (event.type === 'run.awaiting_input') console.error(`Approve it: ${baseUrl}/console/#/runs/${run.id}`)
}

const { status, event_payload } = await client.runs.get(run.id)
if (status === 'succeeded') console.log(event_payload.value?.content)
else console.error(`The run ${status}. See ${baseUrl}/console/#/runs/${run.id}`)
process.exitCode = status === 'succeeded' ? 0 : 1
