// Describes an error for display: a title, and the message of the service unchanged.
import { RunwrightError } from '@runwright/client'
import type { ErrorStatus } from '@runwright/contract'

interface ExplainedError {
  readonly title: string
  readonly message: string
  readonly reasonCode: string | undefined
  readonly requestId: string | undefined
}

const titles: Readonly<Record<ErrorStatus, string>> = {
  400: 'Invalid request',
  401: 'The service refused this key',
  403: 'This key has no permission',
  404: 'Not found',
  409: 'Not possible in the current state',
  410: 'No longer available',
  429: 'Too many requests',
  500: 'The service failed',
  503: 'The service is unavailable',
}

const titleOf = (status: number | undefined): string => {
  if (status === undefined) return 'No response from the service'
  return (titles as Readonly<Record<number, string>>)[status] ?? `Unexpected response (HTTP ${status})`
}

export const explainError = (error: unknown): ExplainedError => {
  if (!(error instanceof RunwrightError)) {
    return { title: 'The console failed', message: String(error), reasonCode: undefined, requestId: undefined }
  }
  const { status, message, reasonCode, requestId } = error
  return { title: titleOf(status), message, reasonCode, requestId }
}
