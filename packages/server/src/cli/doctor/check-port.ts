// Whether the service can listen on its port, or already does.
import { type Address, tryToListen } from '../output/refuse-taken-port.ts'
import { type Check, ok, problem } from './check.ts'

export async function checkPort(address: Address): Promise<Check> {
  const name = 'Port'
  const where = `${address.port} on ${address.host}`
  const code = (await tryToListen(address))?.code
  if (code === undefined) return ok(name, address.port === 0 ? 'any free port' : `${where} is free`)
  if (code === 'EADDRINUSE' && (await isRunwright(address))) return ok(name, `${where} is used by this service`)
  if (code === 'EADDRINUSE')
    return problem(name, `${where} is used by another program.`, 'Stop that program, or set RUNWRIGHT_PORT.')
  if (code === 'EACCES')
    return problem(name, `This user may not listen on ${where}.`, 'Use a RUNWRIGHT_PORT above 1023.')
  return problem(name, `${where} cannot be used (${code}).`, 'Check RUNWRIGHT_HOST.')
}

/** Only Runwright has this route and this answer to a request without a key. */
async function isRunwright({ host, port }: Address): Promise<boolean> {
  try {
    const init = { redirect: 'error', signal: AbortSignal.timeout(3_000) } as const
    const response = await fetch(`http://${hostInUrl(host)}:${port}/v1/runs`, init)
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null && 'reason_code' in body && 'request_id' in body
  } catch {
    // Another program may answer with anything, or not at all.
    return false
  }
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
