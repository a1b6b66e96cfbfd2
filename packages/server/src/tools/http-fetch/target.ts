// Checks where a request may go: for every redirect, before any network access, and again on the addresses of the name.
import { isIP } from 'node:net'
import { showName } from '@runwright/contract'
import { ToolDenied } from '../port/tool.ts'
import { FetchError } from './fetch-error.ts'
import { isGlobalAddress } from './global-address.ts'

export const maxUrlLength = 8192

const schemes = ['http:', 'https:']
/** An empty port is the scheme's default. */
const ports = ['', '80', '443']

/**
 * Throws `ToolDenied` if the target is not allowed. This comes before other errors: `http://user@127.0.0.1` is denied
 * because of its address, rather than failed because of its user name.
 */
export function checkTarget(url: URL): void {
  if (!schemes.includes(url.protocol)) {
    throw new ToolDenied('scheme_not_allowed', 'Only http and https URLs are allowed.')
  }
  if (!ports.includes(url.port)) throw denyAddress(`Port ${url.port} of ${showHost(url)} is not allowed`)
  const host = hostOf(url)
  if (isLocalName(host) || (isIP(host) !== 0 && !isGlobalAddress(host))) {
    throw denyAddress(`${showHost(url)} is not on the public Internet`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchError('The URL must not contain a user name or password. Use the authorization header instead.')
  }
}

/** Every address must be public, because the connection may use any of them. */
export function checkAddresses(url: URL, addresses: readonly string[]): void {
  if (addresses.length === 0) throw new FetchError(`${showHost(url)} has no DNS address record.`)
  if (!addresses.every(isGlobalAddress)) throw denyAddress(`${showHost(url)} is not on the public Internet`)
}

/** Which targets a request may have, and which addresses they may resolve to. */
export interface TargetRules {
  readonly checkTarget: (url: URL) => void
  readonly checkAddresses: (url: URL, addresses: readonly string[]) => void
}

export const publicInternet: TargetRules = { checkTarget, checkAddresses }

/** Without the brackets of an IPv6 address, as resolvers and sockets expect it. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export const showHost = (url: URL): string => showName(url.hostname)

/** Domains reserved for or commonly used in private networks (RFC 6761, 6762, 8375 and ICANN's `internal`). */
const privateDomain = /\.(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/

/** A name that resolves only on the host or its network. A name without a dot is never public. */
function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '')
  return isIP(host) === 0 && (!name.includes('.') || privateDomain.test(name))
}

const denyAddress = (problem: string): ToolDenied =>
  new ToolDenied('address_not_allowed', `${problem}. Only public addresses on ports 80 and 443 are allowed.`)
