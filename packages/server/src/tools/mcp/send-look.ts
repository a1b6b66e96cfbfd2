// Passes the look before a call (`ToolCallContext.beforeSend`) to the transport that writes its bytes. The SDK stands
// between the two, builds the message itself, and has no place for it.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'

type Look = () => void

const looks = new AsyncLocalStorage<Look | undefined>()

/** `look` is for what `work` sends, also after it has waited for something. */
export const withLook = <Value>(look: Look | undefined, work: () => Value): Value => looks.run(look, work)

/** The look for what is being sent now. */
export const currentLook = (): Look | undefined => looks.getStore()

/** The look for a message; undefined if it needs none, because it calls no tool. */
export function lookFor(message: JSONRPCMessage | readonly JSONRPCMessage[]): Look | undefined {
  const callsTool = [message].flat().some((one) => 'method' in one && one.method === 'tools/call')
  if (!callsTool) return undefined
  const look = currentLook()
  if (look === undefined) throw new Error('A tool was called without a look at the lease of its run.')
  return look
}
