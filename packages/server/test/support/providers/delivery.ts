// Sends an answer the way the script says: late, piece by piece, cut, silent, or held at a gate.
import type { ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Gate } from './gate.ts'
import type { Delivery } from './script.ts'
import type { StreamEvent } from './wire-format.ts'

export interface Parcel {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly events: readonly StreamEvent[]
  readonly delivery: Delivery
  /** The error to send in place of the rest, where the delivery asks for one. */
  readonly errorEvent: string | undefined
}

interface Journey {
  readonly response: ServerResponse
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
  /** Called when the answer stops until a gate is released or the client gives up. */
  readonly onStall: () => void
  /** Breaks the connection, as the script asks, and not as the client does. */
  readonly cut: () => void
}

type Waiting = Pick<Journey, 'signal' | 'onStall'>

export async function deliver(parcel: Parcel, journey: Journey): Promise<void> {
  const { response, signal } = journey
  const { delayMs = 0, hold, hang, dropConnection } = parcel.delivery
  if (delayMs > 0) await setTimeout(delayMs, undefined, { signal })
  if (hold?.afterChunks === 0) await passGate(hold.gate, journey)
  if (hang) return stall(journey)
  if (dropConnection) return journey.cut()
  response.writeHead(parcel.status, { ...parcel.headers }).flushHeaders()
  await sendEvents(parcel, journey)
}

async function sendEvents(parcel: Parcel, journey: Journey): Promise<void> {
  const { delivery, events } = parcel
  const contentEvents = events.filter(({ isContent }) => isContent).length
  const asked = stopAskedAt(delivery)
  const stopAt = asked === undefined ? undefined : Math.min(asked, contentEvents)
  let sent = 0
  let written: Promise<unknown> = Promise.resolve()
  for (const event of events) {
    const framesAreSent = event.isContent || sent > 0 || contentEvents === 0
    if (sent === stopAt && framesAreSent) return written.then(() => interrupt(parcel, journey))
    if (event.isContent && delivery.chunkDelayMs)
      await setTimeout(delivery.chunkDelayMs, undefined, { signal: journey.signal })
    written = write(event.text, journey)
    if (journey.response.writableNeedDrain) await written
    if (event.isContent) sent += 1
    if (!event.isContent || delivery.hold?.afterChunks !== sent) continue
    await written
    await passGate(delivery.hold.gate, journey)
  }
  journey.response.end()
}

const stopAskedAt = (delivery: Delivery): number | undefined =>
  delivery.cutAfterChunks ?? delivery.endAfterChunks ?? delivery.silentAfterChunks ?? delivery.errorAfterChunks?.chunks

/** Resolves when the kernel has it: a cut must not take it back. */
function write(text: string, { response, signal }: Journey): Promise<unknown> {
  signal.throwIfAborted()
  return new Promise((resolve) => response.write(text, resolve))
}

async function interrupt({ delivery, errorEvent }: Parcel, journey: Journey): Promise<void> {
  if (delivery.cutAfterChunks !== undefined) return journey.cut()
  if (delivery.silentAfterChunks !== undefined) return stall(journey)
  journey.response.end(errorEvent)
}

/** Rejects when the client goes first. */
export async function passGate(gate: Gate, journey: Waiting): Promise<void> {
  const passed = gate.pass()
  if (!gate.isOpen) await Promise.race([passed, stall(journey)])
  journey.signal.throwIfAborted()
}

function stall({ signal, onStall }: Waiting): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  onStall()
  return gone
}
