// Recognizes runs that do the same: a run is replayed from the cassette of a run with the same fingerprint.
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/json/canonical-json.ts'

export interface FingerprintedRun {
  /** With placeholders for secrets. */
  readonly input: unknown
  readonly metadata: unknown
  /** The client's plan. */
  readonly plan: unknown
}

/** The hash of what the run was asked to do. Of the metadata only the agent counts: the rest is for the client. */
export function fingerprintOf({ input, metadata, plan }: FingerprintedRun): string {
  const text = canonicalJson({ agent: agentOf(metadata), input, plan: plan ?? null })
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

export function agentOf(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null || !('agent' in metadata)) return null
  return metadata.agent
}
