// Counts the runs that retention removes, and says when its last pass ended.
import type { RemovalObserver } from '../retention/remove-runs.ts'
import type { Metrics } from './metrics.ts'

export const retentionMetrics = ({ of }: Metrics): RemovalObserver => ({
  removed: (runs) => of.removed.inc(runs),
  passEnded: () => of.retentionPass.setToCurrentTime(),
})
