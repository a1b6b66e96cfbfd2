// What a message of an MCP server may have. It is larger than any result that can be stored; a list of tools has as
// many parts as all their schemas.
import type { MessageLimits } from '../../runtime/messages/message-meter.ts'

export const largestMessage: MessageLimits = { maxBytes: 10 * 1024 * 1024, maxParts: 100_000 }
