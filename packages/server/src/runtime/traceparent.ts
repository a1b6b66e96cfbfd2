// The header `traceparent` of W3C Trace Context: which trace a request belongs to, and the span that sent it.

export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

/** A later version may have more fields. They are ignored. */
const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.{0,256})?$/

/** Undefined if the header is missing or malformed: then a new trace begins. */
export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  const [, traceId, spanId, flags = '0'] = (header !== undefined && pattern.exec(header)) || []
  if (traceId === undefined || spanId === undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
