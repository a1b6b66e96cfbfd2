// Looks up a name in DNS. Does not use `dns.lookup`, which cannot be cancelled, occupies a thread of the pool that file
// access needs, and resolves names of the hosts file and search domains, none of which are public.
import { Resolver } from 'node:dns/promises'

/** Resolves with all addresses of a name; an empty list when it has none. Rejects when the lookup fails. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>

const tryMs = 2000

export const resolveName: ResolveName = (name, signal) =>
  lookUp(new Resolver({ timeout: tryMs, tries: 2 }), name, signal)

/** For addresses that an operator or a customer sets up: the name of this host is not in DNS. */
export const resolveEndpoint: ResolveName = async (name, signal) =>
  name === 'localhost' ? ['127.0.0.1', '::1'] : resolveName(name, signal)

/** `resolver` must not be shared with other lookups, because an abort cancels all its queries. */
export async function lookUp(resolver: Resolver, name: string, signal: AbortSignal): Promise<readonly string[]> {
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    signal.throwIfAborted()
    return await resolveBoth(resolver, name)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Succeeds if either query does: a name may have addresses of one family only, and some servers fail for the other. */
async function resolveBoth(resolver: Resolver, name: string): Promise<readonly string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const failure = answers.find((answer) => answer.status === 'rejected' && !isNotFound(answer.reason))
  if (addresses.length === 0 && failure?.status === 'rejected') throw failure.reason
  return addresses
}

const isNotFound = (error: { code?: unknown }): boolean => error.code === 'ENOTFOUND' || error.code === 'ENODATA'
