// Deterministic ids: a step or call keeps its id however often a worker picks up the run.
import { createHash } from 'node:crypto'
import { type IdPrefix, toWireId } from './ids.ts'

/** Has the form of a UUIDv7. It starts with the time of the run, so it sorts with the run. */
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
