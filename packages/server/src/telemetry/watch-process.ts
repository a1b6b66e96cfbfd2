// Sets the metrics of the process itself: CPU time, memory, and the delay of the event loop.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

export function watchProcess(metrics: Metrics): void {
  const { of } = metrics
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  let counted = 0
  metrics.beforeRead(() => {
    const { user, system } = process.cpuUsage()
    const seconds = (user + system) / 1e6
    of.cpuSeconds.inc(seconds - counted)
    counted = seconds
    of.memory.set(process.memoryUsage.rss())
    // It measures the time between two samples, which are 20 ms apart without any delay.
    of.loopLag.set(Math.max(0, delay.max / 1e9 - 0.02))
    delay.reset()
  })
}
