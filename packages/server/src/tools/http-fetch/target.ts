// Where a request may go. The checks run for every hop, before anything is asked of the network, and once more on the
// addresses that a name turned out to have.
import { isIP } from 'node:net'
import { showName } from '../../domain/text.ts'
import { ToolDenied } from '../port/tool.ts'
import { FetchProblem } from './fetch-problem.ts'
import { isGlobalAddress } from './global-address.ts'

export const maxUrlLength = 8192

const schemes = ['http:', 'https:']
/** An empty port is the scheme's own. */
const ports = ['', '80', '443']

/**
 * Throws `ToolDenied` for what policy does not allow. That comes first: `http://user@127.0.0.1` is denied for where it
 * leads, not failed for how it is written.
 */
export function admitTarget(url: URL): void {
  if (!schemes.includes(url.protocol)) {
    throw new ToolDenied('scheme_not_allowed', 'Only http and https URLs can be fetched.')
  }
  if (!ports.includes(url.port)) throw denyAddress(`${showHost(url)} is asked for on port ${url.port}`)
  const host = hostOf(url)
  if (isLocalName(host) || (isIP(host) !== 0 && !isGlobalAddress(host))) {
    throw denyAddress(`${showHost(url)} is not on the public Internet`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchProblem('A URL with a user name or password is not fetched; use the header authorization.')
  }
}

/** One bad address among good ones is enough: which of them a connection takes is not for a stranger's DNS to decide. */
export function admitAddresses(url: URL, addresses: readonly string[]): void {
  if (addresses.length === 0) throw new FetchProblem(`${showHost(url)} has no address.`)
  if (!addresses.every(isGlobalAddress)) throw denyAddress(`${showHost(url)} is not on the public Internet`)
}

/** As resolvers and sockets take it: without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export const showHost = (url: URL): string => showName(url.hostname)

/** Endings that are kept for networks of one's own (RFC 6761, 6762, 8375 and ICANN's `internal`). */
const privateEnding = /\.(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/

/** A name that only the host or its network knows. One without a dot is never public. */
function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '')
  return isIP(host) === 0 && (!name.includes('.') || privateEnding.test(name))
}

const denyAddress = (problem: string): ToolDenied =>
  new ToolDenied('address_not_allowed', `${problem}: only global addresses on ports 80 and 443 can be reached.`)
