// Opens connections only to addresses that were checked. The name is not looked up again, so a DNS record that changes
// after the check has no effect.
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { connectSeconds } from './network-limits.ts'

/** Creates a connector for one request. The host name is used only for the certificate and the Host header. */
export type Dial = (addresses: readonly string[], signal: AbortSignal) => buildConnector.connector

export const dial: Dial = (addresses, signal) =>
  buildConnector({ lookup: resolveTo(addresses), timeout: connectSeconds * 1000, signal, maxCachedSessions: 0 })

/** Node asks for all addresses and tries them in turn. It does not call this when the host is an IP address. */
const resolveTo =
  (addresses: readonly string[]): LookupFunction =>
  (_host, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }
