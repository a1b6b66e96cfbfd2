// Puts the parts of OpenTelemetry together: exporter, batches, sampler and resource.
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ConsoleSpanExporter, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from '../../runtime/logger.ts'
import { version } from '../../runtime/version.ts'
import { readBatching, readProtocol, readSampler, TracingError } from './environment.ts'
import { Tracing } from './tracing.ts'

type Environment = Readonly<Record<string, string | undefined>>

export async function createTracing(env: Environment, logger: Logger): Promise<Tracing> {
  const exporter = await openExporter(env)
  tellFailures(logger)
  const ids = { traceId: '', spanId: '' }
  const service = resourceFromAttributes({ 'service.name': 'runwright', 'service.version': version })
  const provider = new TracerProvider({
    sampler: readSampler(env),
    resource: defaultResource()
      .merge(service)
      // What the operator sets wins.
      .merge(detectResources({ detectors: [envDetector] })),
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...readBatching(env) })],
  })
  // A collector that refuses the last spans must not keep the process from closing its connections.
  const stop = () => provider.shutdown().catch(({ message }: Error) => tellRefused(logger, message))
  return new Tracing({ tracer: provider.getTracer('runwright', version), ids, stop })
}

const tellRefused = (logger: Logger, reason: string): void =>
  logger.warn({ reason }, 'OpenTelemetry: the last spans could not be sent')

async function openExporter(env: Environment): Promise<SpanExporter> {
  const name = env.OTEL_TRACES_EXPORTER || 'otlp'
  if (name === 'console') return new ConsoleSpanExporter()
  if (name !== 'otlp')
    throw new TracingError(`OTEL_TRACES_EXPORTER ${name} is not supported. Use otlp, console or none.`)
  const { OTLPTraceExporter } =
    readProtocol(env) === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto')
  return new OTLPTraceExporter()
}

/** OpenTelemetry reports a collector that cannot be reached here. Runs go on without it. */
function tellFailures(logger: Logger): void {
  const warn = (message: string, ...details: unknown[]) => logger.warn({ details }, `OpenTelemetry: ${message}`)
  const ignore = () => undefined
  const sink = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(sink, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}
