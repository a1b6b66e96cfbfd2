// Shows how many runs a worker executes, and how many it could.
import type { Engine } from '../engine/engine.ts'
import type { SlotLimit } from '../engine/slot-limit.ts'
import type { Metrics } from './metrics.ts'

export function watchEngine(metrics: Metrics, engine: Pick<Engine, 'taken'>, limit: SlotLimit): void {
  const { executing, places, placesAllowed } = metrics.of
  places.set(limit.most)
  metrics.beforeRead(() => {
    placesAllowed.set(limit.slots)
    for (const [runClass, count] of Object.entries(engine.taken)) executing.set({ class: runClass }, count)
  })
}
