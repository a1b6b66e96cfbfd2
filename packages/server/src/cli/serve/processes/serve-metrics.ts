// Metrics of `runwright start`, `api` and `worker`: one port, also if several processes do the work. What metrics need
// is loaded only if they are configured.
import type { App } from '../../../app.ts'
import type { Logger } from '../../../runtime/logger.ts'
import type { Settings } from '../../../runtime/settings/settings.ts'
import type { Metrics } from '../../../telemetry/metrics.ts'
import { ChildProcesses } from './child-processes.ts'

/** What is started and stopped: the app, or processes that are it. */
export type Service = Pick<App, 'start' | 'reload' | 'stop'>

/** Undefined if no port is set. */
export async function createMetrics({ metrics: { port } }: Settings): Promise<Metrics | undefined> {
  if (port === undefined) return undefined
  const { Metrics } = await import('../../../telemetry/metrics.ts')
  return new Metrics()
}

interface Serving {
  readonly settings: Settings
  readonly logger: Logger
  readonly metrics: Metrics | undefined
}

/** The service with its metrics. The port is open while the service runs. */
export async function withMetrics(service: Service, { settings, logger, metrics }: Serving): Promise<Service> {
  const { port } = settings.metrics
  if (port === undefined || metrics === undefined) return service
  const { MetricsServer } = await import('../../../telemetry/metrics-server.ts')
  const { readChildren } = await import('./child-metrics.ts')
  const read = () => (service instanceof ChildProcesses ? readChildren(service.ready) : metrics.text())
  const server = new MetricsServer({ host: settings.http.host, port, read, logger })
  return {
    start: async () => {
      await server.start()
      return service.start()
    },
    reload: () => service.reload(),
    stop: async (report) => {
      await service.stop(report)
      await server.stop()
    },
  }
}

/** In a child, whose parent has the port. */
export async function answerWithMetrics(metrics: Metrics | undefined): Promise<void> {
  if (metrics === undefined) return
  const { answerParent } = await import('./child-metrics.ts')
  answerParent(metrics)
}
