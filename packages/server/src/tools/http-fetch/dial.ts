// Opens connections to addresses that were checked, and to no others: the name is not looked up again, so what its DNS
// says a moment later does not matter.
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { connectSeconds } from './network-limits.ts'

/** A connector for one request. The name in its options is for the certificate and the host header only. */
export type Dial = (addresses: readonly string[], signal: AbortSignal) => buildConnector.connector

export const dial: Dial = (addresses, signal) =>
  buildConnector({ lookup: answerWith(addresses), timeout: connectSeconds * 1000, signal, maxCachedSessions: 0 })

/** Node asks for all of them and tries one after the other. It does not ask at all when the host is an address itself. */
const answerWith =
  (addresses: readonly string[]): LookupFunction =>
  (_host, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }
