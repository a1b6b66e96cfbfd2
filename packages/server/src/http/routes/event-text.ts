// An event as JSON text, put together from what is stored: the payload is never parsed on its way out.
import type { StoredEvent } from '../../store/run-log/run-change.ts'

export const eventText = ({ seq, type, at, redacted, payload }: StoredEvent): string =>
  `{"seq":${seq},"type":"${type}","timestamp":"${at.toISOString()}","payload":{"redacted":${redacted},"value":${payload}}}`
