// Why there is no connection to an MCP server, in words that may be shown to whoever started a run: no paths and no addresses.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { cutText } from '../../domain/text.ts'

const maxReasonLength = 200

/** Completes the sentence "The server is not connected (…)". */
export function describeLoss(error: unknown): string {
  if (error instanceof SdkHttpError) return `it answered ${error.status}`
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'it did not answer in time'
  if (error instanceof ProtocolError) return cutText(`it refused: ${error.message}`, maxReasonLength)
  const { syscall, code } = error as NodeJS.ErrnoException
  if (syscall?.startsWith('spawn')) return `its program could not be started: ${code}`
  return 'it does not speak MCP as expected'
}
