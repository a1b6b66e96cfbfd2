// Tells addresses of the public Internet from all others: the wall between a URL that a model made up and the operator's
// own network. What is not known to be public is not.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Takes an address as a resolver or a URL spells it, without brackets. */
export function isGlobalAddress(text: string): boolean {
  // A zone such as `%eth0` picks an interface of this host.
  if (text.includes('%')) return false
  const family = isIP(text)
  if (family === 4) return ipaddr.IPv4.parse(text).range() === 'unicast'
  return family === 6 && isGlobalIPv6(ipaddr.IPv6.parse(text))
}

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * The library calls everything `unicast` that it has no other name for. Forms that carry an IPv4 address (mapped,
 * compatible, translated, NAT64, 6to4, Teredo, ISATAP) are refused whatever they carry: a relay may lead anywhere.
 */
const isGlobalIPv6 = (address: ipaddr.IPv6): boolean =>
  address.match(globalUnicast) && address.range() === 'unicast' && !isIsatap(address)

/** RFC 5214: the interface identifier is 0000:5efe or 0200:5efe and an IPv4 address. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
