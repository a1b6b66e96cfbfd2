// GET /api/runs/{id}/events: the events of a run for `EventSource`, which reconnects with the last id it has seen.
import { errorResponse, findOwnRun, notFound, runwright } from '../../../../../lib/runwright.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const { id } = await params
  try {
    if (!(await findOwnRun(request, id))) return notFound()
  } catch (error) {
    return errorResponse(error)
  }
  const cursor = Number(request.headers.get('last-event-id')) || 0
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
  return new Response(eventStream(id, cursor, request.signal), { headers })
}

function eventStream(id: string, cursor: number, disconnected: AbortSignal): ReadableStream<Uint8Array> {
  const cancelled = new AbortController()
  const signal = AbortSignal.any([disconnected, cancelled.signal])
  const events = runwright().events.stream(id, { cursor, signal })[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(`id: ${value.seq}\ndata: ${JSON.stringify(value)}\n\n`))
    },
    cancel: () => cancelled.abort(),
  })
}
