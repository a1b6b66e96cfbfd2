// A run from its creation to its end, with the client of hey-api. The test copies this file beside the generated code.
import { createClient } from '../hey-api/client/index.ts'
import { createRun, getRun, listRuns, signalRun, streamEvents } from '../hey-api/index.ts'
import { body, type Service, type Story } from './story.ts'

export async function play({ url, key }: Service): Promise<Story> {
  const client = createClient({ baseUrl: url, auth: key })
  const headers = { 'idempotency-key': 'invoice-4711' }
  const { data: created } = await createRun({ client, headers, body, throwOnError: true })
  const path = { id: created.id }
  const types: string[] = []
  const { stream } = await streamEvents({ client, path })
  for await (const item of stream) {
    if (!item || 'error' in item) throw new Error(`the stream ended with ${item?.reason_code}`)
    types.push(item.type)
    if (item.type === 'run.awaiting_input') {
      const answer = { action: 'approve', await_seq: item.seq, payload: item.payload.value.input_kind } as const
      await signalRun({
        client,
        path,
        headers: { 'idempotency-key': 'approval-4711' },
        body: answer,
        throwOnError: true,
      })
    }
    if (item.type === 'run.worker.succeeded') break
  }
  const { data: run } = await getRun({ client, path, query: { include: ['usage', 'signals'] }, throwOnError: true })
  const { data: list } = await listRuns({ client, query: { status: ['failed', 'succeeded'] }, throwOnError: true })
  return {
    types,
    content: run.event_payload.value?.content,
    approvedWith: run.signals?.[0]?.payload,
    listed: list.runs.map(({ id }) => id === created.id),
  }
}
