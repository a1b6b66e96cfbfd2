// Whether the service that commands talk to responds and accepts the key.
import { RunwrightError } from '@runwright/client'
import { type Connection, connect } from '../connection/connect.ts'
import { explainServiceError } from '../connection/explain-error.ts'
import type { Io } from '../output/io.ts'
import { Refusal, UsageError } from '../output/refusal.ts'
import { safeLine } from '../output/safe-text.ts'
import { type Check, note, ok, problem } from './check.ts'

export async function checkService(env: Io['env']): Promise<readonly Check[]> {
  let connection: Connection
  try {
    connection = connect({ env })
  } catch (error) {
    return [withoutConnection(error)]
  }
  const service = await checkReady(connection)
  return service.status === 'ok' ? [service, await checkKey(connection)] : [service]
}

function withoutConnection(error: unknown): Check {
  if (error instanceof Refusal) return note('Client', 'no service and key to talk to yet', error.message)
  if (error instanceof UsageError || (error instanceof Error && error.name === 'SettingsError'))
    return problem('Client', error.message)
  throw error
}

async function checkReady({ client, url, keySource }: Connection): Promise<Check> {
  try {
    const { status, message } = await client.health.ready()
    if (status === 'ok') return ok('Service', `${url} responds`)
    const why = message === undefined ? '.' : `: ${safeLine(message)}`
    return problem('Service', `${url} responds, but is not ready${why}`, `See ${url}/health/deps and its log.`)
  } catch (error) {
    return note('Service', `${url} does not respond`, explainServiceError(error, { url, keySource }) ?? String(error))
  }
}

async function checkKey({ client, url, keySource }: Connection): Promise<Check> {
  try {
    await client.runs.list({ limit: 1 })
  } catch (error) {
    // The key is valid, but not for reading runs.
    if (!(error instanceof RunwrightError && error.reasonCode === 'SCOPE_DENIED'))
      return problem('Client key', explainServiceError(error, { url, keySource }) ?? String(error))
  }
  return ok('Client key', `${keySource} is valid`)
}
