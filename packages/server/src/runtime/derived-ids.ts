// Ids that follow from what they stand for: the same step or call has the same id, however often it is taken up again.
import { createHash } from 'node:crypto'
import { type IdPrefix, toWireId } from './ids.ts'

/** Of the form of all ids: it begins with the time of the run it belongs to, so it sorts with it. */
export function derivedWireId(prefix: IdPrefix, runId: string, ...parts: readonly string[]): string {
  const bytes = createHash('sha256')
    .update([runId, ...parts].join('\n'))
    .digest()
    .subarray(0, 16)
  bytes.write(runId.slice(0, 13).replace('-', ''), 0, 'hex')
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return toWireId(prefix, bytes.toString('hex'))
}
