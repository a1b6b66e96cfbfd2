// The network that an address belongs to, for limits per client. A client with IPv6 usually has a network of 64 bits,
// and can use another address of it for each connection.
import { isIPv6 } from 'node:net'

/** `address` as Node writes it: in lower case, without leading zeros. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  const [plain = ''] = address.split('%')
  const [first = [], last = []] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
