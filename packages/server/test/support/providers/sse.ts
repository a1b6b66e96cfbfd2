// Server-sent events as the providers write them.
import type { JsonObject } from './script.ts'
import type { StreamEvent } from './wire-format.ts'

export const sseType = 'text/event-stream; charset=utf-8'

/** A frame: it carries no piece of content. */
export const frame = (data: JsonObject | string, event?: string): StreamEvent => ({
  text: eventText(data, event),
  isContent: false,
})

export const content = (data: JsonObject, event?: string): StreamEvent => ({
  text: eventText(data, event),
  isContent: true,
})

export function eventText(data: JsonObject | string, event?: string): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}
