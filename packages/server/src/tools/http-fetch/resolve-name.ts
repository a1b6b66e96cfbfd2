// Looks a name up in DNS. Not by `dns.lookup`: that cannot be cancelled, holds a thread of the pool that files need too,
// and knows names of the host and its search domains, none of which are public.
import { Resolver } from 'node:dns/promises'

/** All addresses of a name; an empty list when there is none. Rejects when nobody could tell. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>

const tryMs = 2000

export const resolveName: ResolveName = (name, signal) =>
  lookUp(new Resolver({ timeout: tryMs, tries: 2 }), name, signal)

/** With a resolver of one's own; it belongs to this look-up alone, since cancelling ends all that it is asked. */
export async function lookUp(resolver: Resolver, name: string, signal: AbortSignal): Promise<readonly string[]> {
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    signal.throwIfAborted()
    return await askBoth(resolver, name)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** A name may well have addresses of one family only, and some servers know no other question. */
async function askBoth(resolver: Resolver, name: string): Promise<readonly string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const failure = answers.find((answer) => answer.status === 'rejected' && !meansNone(answer.reason))
  if (addresses.length === 0 && failure?.status === 'rejected') throw failure.reason
  return addresses
}

const meansNone = (error: { code?: unknown }): boolean => error.code === 'ENOTFOUND' || error.code === 'ENODATA'
