// Where messages may be sent: to the public Internet over https, as `http_fetch` does. If the operator allows it, also
// to private addresses, on any port, and over http to this host.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { FetchError } from './fetch-error.ts'
import { checkAddresses, checkTarget, hostOf, showHost, type TargetRules } from './target.ts'

const onlyHttps: TargetRules = {
  checkTarget: (url) => {
    if (url.protocol !== 'https:') throw new FetchError('The URL must use https.')
    checkTarget(url)
  },
  checkAddresses,
}

const alsoPrivate: TargetRules = {
  checkTarget: (url) => {
    const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && isThisHost(url))
    if (!isAllowed) throw new FetchError('The URL must use https. Only an endpoint on this host may use http.')
    if (url.username !== '' || url.password !== '') {
      throw new FetchError('The URL must not contain a user name or password.')
    }
  },
  checkAddresses: (url, addresses) => {
    if (addresses.length === 0) throw new FetchError(`${showHost(url)} has no DNS address record.`)
    if (url.protocol === 'http:' && !addresses.every(isLoopback)) throw new FetchError('The URL must use https.')
  },
}

export const endpointRules = (privateAddresses: 'allow' | 'deny'): TargetRules =>
  privateAddresses === 'allow' ? alsoPrivate : onlyHttps

function isThisHost(url: URL): boolean {
  const host = hostOf(url)
  return host === 'localhost' || isLoopback(host)
}

const isLoopback = (address: string): boolean => isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback'
