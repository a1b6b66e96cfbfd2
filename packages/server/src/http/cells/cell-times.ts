// How long the gate waits for a cell. A cell that hangs must not hang the clients of the gate.

import type { IncomingMessage } from 'node:http'
import { maxEventWaitSeconds } from '@runwright/contract'

export interface CellTimes {
  readonly connectMs: number
  /**
   * Without a byte in either direction. A cell answers sooner: it waits for its database for 20 s at most, and for the
   * time that a poll asks for.
   */
  readonly answerMs: number
  /** The same for a stream of events. The cell sends a comment from time to time. */
  readonly streamMs: number
}

export const cellTimesOf = ({ keepaliveSeconds }: { readonly keepaliveSeconds: number }): CellTimes => ({
  connectMs: 3_000,
  answerMs: 30_000,
  streamMs: Math.max(60, 3 * keepaliveSeconds) * 1000,
})

/** What a poll for events asks the cell to wait. */
export function askedWaitMs({ url = '' }: IncomingMessage): number {
  const query = url.slice(url.indexOf('?') + 1)
  const seconds = Number(url.includes('?') ? (new URLSearchParams(query).get('wait') ?? 0) : 0)
  return seconds > 0 ? Math.min(seconds, maxEventWaitSeconds) * 1000 : 0
}
