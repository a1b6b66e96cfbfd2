// The service as the server of the web app sees it. The API key stays here and never reaches a browser.
import { type RunDetail, Runwright, RunwrightError } from '@runwright/client'
import { findUser } from './session.ts'

export const runwright = (): Runwright =>
  new Runwright({
    baseUrl: process.env.RUNWRIGHT_URL ?? 'http://127.0.0.1:8080',
    apiKey: process.env.RUNWRIGHT_API_KEY ?? '',
  })

/** The run, if it belongs to the user of the request. A run of another user is not told apart from none. */
export async function findOwnRun(request: Request, id: string): Promise<RunDetail | undefined> {
  const user = findUser(request)
  try {
    const run = await runwright().runs.get(id, { include: ['awaiting_input', 'title'] })
    return user !== undefined && run.subject_id === user ? run : undefined
  } catch (error) {
    if (error instanceof RunwrightError && error.status === 404) return undefined
    throw error
  }
}

/** An error of the service as a response: what a person can act on, and no details of the installation. */
export function errorResponse(error: unknown): Response {
  const status = error instanceof RunwrightError ? (error.status ?? 503) : 500
  const message = status < 500 && error instanceof Error ? error.message : 'The service is not available. Try again.'
  return Response.json({ message }, { status })
}

export const notFound = (): Response => Response.json({ message: 'There is no such run.' }, { status: 404 })
