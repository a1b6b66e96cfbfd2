// Looks at the clock before each write to a connection of `fetch`, that of Node and that of undici. A tool of the
// operator is called right after a look at the lease, but what it sends leaves the process a little later. If the
// process is paused in between, this is the last moment to notice it.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { lookBeforeWrites } from '../tools/port/look-before-writes.ts'

const channel = 'undici:client:connected'

/** If `look` throws, the connection fails instead. Returns what ends it; connections that are open keep their looks. */
export function watchSends(looks: Parameters<typeof lookBeforeWrites>[1]): () => void {
  const onConnected = (message: unknown) => lookBeforeWrites((message as { readonly socket: Socket }).socket, looks)
  subscribe(channel, onConnected)
  return () => void unsubscribe(channel, onConnected)
}
