// POST /api/runs: creates a run for the user.
import { readJson } from '../../../lib/read-json.ts'
import { errorResponse, runwright } from '../../../lib/runwright.ts'
import { findUser } from '../../../lib/session.ts'

export async function POST(request: Request): Promise<Response> {
  const user = findUser(request)
  if (user === undefined) return Response.json({ message: 'Sign in first.' }, { status: 401 })
  const { goal, requestKey } = await readJson(request)
  if (typeof goal !== 'string' || typeof requestKey !== 'string') {
    return Response.json({ message: 'goal and requestKey must be text.' }, { status: 400 })
  }
  try {
    // The page makes the key, so that a click that is sent twice creates one run.
    const options = { idempotencyKey: `${user}:${requestKey}`, signal: request.signal }
    const { id } = await runwright().runs.create({ input: { goal }, subject_id: user }, options)
    return Response.json({ id }, { status: 201 })
  } catch (error) {
    return errorResponse(error)
  }
}
