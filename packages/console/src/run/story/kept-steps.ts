// The steps of a plan that a fork has kept for certain: the last one that it kept, and those that it depends on. Others
// that had finished beside them are not known here.
import type { RunDetail } from '@runwright/contract'

export function keptSteps(
  dependencies: ReadonlyMap<string, readonly string[]>,
  forkedFrom: RunDetail['forked_from'],
): ReadonlySet<string> {
  const kept = new Set<string>()
  const keep = (stepId: string) => {
    if (kept.has(stepId) || !dependencies.has(stepId)) return
    kept.add(stepId)
    for (const id of dependencies.get(stepId) ?? []) keep(id)
  }
  if (forkedFrom) keep(forkedFrom.step_id)
  return kept
}
