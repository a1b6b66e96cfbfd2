// Shows how many runs a worker executes, and how many it could.
import type { Engine } from '../engine/engine.ts'
import type { Metrics } from './metrics.ts'

export function watchEngine(metrics: Metrics, engine: Pick<Engine, 'taken'>, places: number): void {
  const { executing, places: placesGauge } = metrics.of
  placesGauge.set(places)
  metrics.beforeRead(() => {
    for (const [runClass, count] of Object.entries(engine.taken)) executing.set({ class: runClass }, count)
  })
}
