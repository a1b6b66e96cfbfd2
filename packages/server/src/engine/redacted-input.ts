// A run's input and metadata with every tagged value taken out: what models, templates and tools get to see.

import { taggedLocations } from '../domain/sensitivity-locations.ts'
import { redactDocument } from '../domain/sensitivity-redact.ts'
import type { ClaimedRun } from '../store/run-log/run-claimer.ts'

export interface RedactedInput {
  readonly input: unknown
  readonly metadata: unknown
}

export function redactInput({ input, metadata, sensitivityTags }: ClaimedRun): RedactedInput {
  if (sensitivityTags.length === 0) return { input, metadata }
  const locations = taggedLocations({ input, metadata }, sensitivityTags)
  return redactDocument({ input, metadata }, locations).document as RedactedInput
}
