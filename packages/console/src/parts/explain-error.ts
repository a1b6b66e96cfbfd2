// Puts an error into words. The service's own sentence stays as it is; the title says what it means here.
import { RunwrightError } from '@runwright/client'
import type { ErrorStatus } from '@runwright/contract'

export interface ExplainedError {
  readonly title: string
  readonly message: string
  readonly reasonCode: string | undefined
  readonly requestId: string | undefined
}

const titles: Readonly<Record<ErrorStatus, string>> = {
  400: 'The service did not accept this',
  401: 'The service refused this key',
  403: 'This key may not do that',
  404: 'Not found',
  409: 'That is not possible now',
  429: 'Too much at once',
  500: 'The service failed',
  503: 'The service cannot answer now',
}

const titleOf = (status: number | undefined): string => {
  if (status === undefined) return 'No answer from the service'
  return (titles as Readonly<Record<number, string>>)[status] ?? `Unexpected answer (HTTP ${status})`
}

export const explainError = (error: unknown): ExplainedError => {
  if (!(error instanceof RunwrightError)) {
    return { title: 'The console failed', message: String(error), reasonCode: undefined, requestId: undefined }
  }
  const { status, message, reasonCode, requestId } = error
  return { title: titleOf(status), message, reasonCode, requestId }
}
