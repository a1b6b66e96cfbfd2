// How long a run may be kept, as the tags of its values say.
import type { SensitivityTag } from '@runwright/contract'

/** In days. Undefined if no tag says it. */
export function shortestRetentionDays(tags: readonly SensitivityTag[] | undefined): number | undefined {
  const hints = (tags ?? []).flatMap(({ retention_hint_days: days }) => days ?? [])
  return hints.length > 0 ? Math.min(...hints) : undefined
}
