// The same with openapi-fetch and the types of openapi-typescript, which leave the parsing of a stream to the caller.
import createClient from 'openapi-fetch'
import type { components, paths } from '../openapi-typescript/schema.ts'
import { body, type Service, type Story } from './story.ts'

type Item = components['schemas']['EventStreamItem']

export async function play({ url, key }: Service): Promise<Story> {
  const client = createClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${key}` },
    querySerializer: { array: { style: 'form', explode: false } },
  })
  const header = { 'idempotency-key': 'invoice-4711' }
  const { data: created } = await client.POST('/v1/runs', { params: { header }, body })
  if (!created) throw new Error('the run was not created')
  const path = { id: created.id }
  const { data: stream } = await client.GET('/v1/runs/{id}/events/stream', { params: { path }, parseAs: 'stream' })
  if (!stream) throw new Error('there is no stream')
  const types: string[] = []
  for await (const item of itemsOf(stream)) {
    if ('error' in item) throw new Error(`the stream ended with ${item.reason_code}`)
    types.push(item.type)
    if (item.type === 'run.awaiting_input') {
      const answer = { action: 'approve', await_seq: item.seq, payload: item.payload.value.input_kind } as const
      await client.POST('/v1/runs/{id}/signal', { params: { path }, body: answer })
    }
    if (item.type === 'run.worker.succeeded') break
  }
  const query = { include: ['usage' as const, 'signals' as const] }
  const { data: run } = await client.GET('/v1/runs/{id}', { params: { path, query } })
  const { data: list } = await client.GET('/v1/runs', { params: { query: { status: ['failed', 'succeeded'] } } })
  return {
    types,
    content: run?.event_payload.value?.content,
    approvedWith: run?.signals?.[0]?.payload,
    listed: list?.runs.map(({ id }) => id === created.id) ?? [],
  }
}

async function* itemsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Item> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    const messages = text.split('\n\n')
    text = messages.pop() ?? ''
    for (const message of messages) {
      const data = /^data: (.*)$/m.exec(message)?.[1]
      if (data) yield JSON.parse(data) as Item
    }
  }
}
