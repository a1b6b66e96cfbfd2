// GET /api/runs/{id}: what the run asks, and its result.
import { errorResponse, findOwnRun, notFound } from '../../../../lib/runwright.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  try {
    const run = await findOwnRun(request, (await params).id)
    if (!run) return notFound()
    return Response.json({ wait: run.awaiting_input ?? null, result: run.event_payload.value ?? null })
  } catch (error) {
    return errorResponse(error)
  }
}
