// Events for other tools: as JSON lines, and as a command that reads them.
import type { RunEvent } from '@runwright/client'

export const asNdjson = (events: readonly RunEvent[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('')

/** The key is not part of it: a command ends up in histories and chats. */
export const asCurl = (baseUrl: string, runId: string, seq: number): string =>
  `curl -H "authorization: Bearer $KEY" '${baseUrl.replace(/\/$/, '')}/v1/runs/${runId}/events?cursor=${seq - 1}&limit=1'`

export const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Not at once: the browser may not have read it yet.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
