// Describes why there is no connection to an MCP server. Clients may see it, so it contains no paths or addresses.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { cutText } from '../../domain/text.ts'
import { RedirectRefused } from '../../runtime/within-origin.ts'
import { ListTooLarge } from './list-tools.ts'

const maxReasonLength = 200

/** Completes the sentence "The server is not connected (…)". */
export function describeConnectionError(error: unknown): string {
  if (error instanceof ListTooLarge) return error.message
  if (error instanceof SdkHttpError) return `it responded with status ${error.status}`
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'it did not respond in time'
  if (error instanceof ProtocolError) return cutText(`it returned an error: ${error.message}`, maxReasonLength)
  if (error instanceof RedirectRefused) return 'it redirects, which is not followed'
  const { syscall, code } = error as NodeJS.ErrnoException
  if (syscall?.startsWith('spawn')) return `its program did not start: ${code}`
  return 'its response is not valid MCP'
}
