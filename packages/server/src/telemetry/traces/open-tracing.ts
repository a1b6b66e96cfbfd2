// Traces, if the standard OTEL_* variables ask for them. OpenTelemetry is loaded only then.
import type { Logger } from '../../runtime/logger.ts'
import type { Tracing } from './tracing.ts'

type Environment = Readonly<Record<string, string | undefined>>

export function asksForTraces(env: Environment): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return false
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_TRACES_EXPORTER } = env
  return Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || OTEL_TRACES_EXPORTER)
}

export async function openTracing(env: Environment, logger: Logger): Promise<Tracing | undefined> {
  if (!asksForTraces(env)) return undefined
  const { createTracing } = await import('./create-tracing.ts')
  return createTracing(env, logger)
}
