// An event as JSON text. The payload is stored as text and not parsed.
import type { StoredEvent } from '../../store/run-log/run-change.ts'

export const eventText = (event: StoredEvent): string => `{${eventFields(event)}}`

export const eventFields = ({ seq, type, at, redacted, payload }: StoredEvent): string =>
  `"seq":${seq},"type":"${type}","timestamp":"${at.toISOString()}","payload":{"redacted":${redacted},"value":${payload}}`
