// POST /api/runs/{id}/signal: the answer of the user to what the run asks.
import { readJson } from '../../../../../lib/read-json.ts'
import { errorResponse, findOwnRun, notFound, runwright } from '../../../../../lib/runwright.ts'

export async function POST(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const { id } = await params
  const { action, waitSeq } = await readJson(request)
  if ((action !== 'approve' && action !== 'reject') || typeof waitSeq !== 'number') {
    return Response.json({ message: 'action must be approve or reject, waitSeq a number.' }, { status: 400 })
  }
  try {
    if (!(await findOwnRun(request, id))) return notFound()
    await runwright().runs.signal(id, { action, await_seq: waitSeq, idempotency_key: `answer-${waitSeq}-${action}` })
    return Response.json({ ok: true })
  } catch (error) {
    return errorResponse(error)
  }
}
