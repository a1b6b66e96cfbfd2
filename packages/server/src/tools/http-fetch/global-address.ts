// Tells public Internet addresses from all others. This keeps URLs that a model writes out of the operator's network,
// so an address that is not known to be public counts as private.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** `text` is an address as in DNS or a URL, without brackets. */
export function isGlobalAddress(text: string): boolean {
  // A zone such as `%eth0` selects a network interface of this host.
  if (text.includes('%')) return false
  const family = isIP(text)
  if (family === 4) return ipaddr.IPv4.parse(text).range() === 'unicast'
  return family === 6 && isGlobalIPv6(ipaddr.IPv6.parse(text))
}

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * The library reports `unicast` for every range it does not know. Addresses that embed an IPv4 address (mapped,
 * compatible, translated, NAT64, 6to4, Teredo, ISATAP) are always rejected, because a relay decides where they lead.
 */
const isGlobalIPv6 = (address: ipaddr.IPv6): boolean =>
  address.match(globalUnicast) && address.range() === 'unicast' && !isIsatap(address)

/** RFC 5214: the interface identifier is 0000:5efe or 0200:5efe, followed by an IPv4 address. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
