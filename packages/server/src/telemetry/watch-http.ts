// Counts the responses of the API.
import type { Answered } from '../http/server/http-server.ts'
import type { Metrics } from './metrics.ts'

const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export function countResponse({ of }: Metrics, { method, route = 'other', status, ms, isStream }: Answered): void {
  of.requests.inc({ method: methods.includes(method) ? method : 'other', route, status })
  if (!isStream) of.requestSeconds.observe({ route }, ms / 1000)
}

export function deliveryObserver(metrics: Metrics | undefined): ((lagMs: number) => void) | undefined {
  return metrics && ((lagMs) => metrics.of.streamLag.observe(lagMs / 1000))
}
