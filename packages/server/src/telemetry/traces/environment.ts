// Reads the standard OTEL_* variables that the packages of OpenTelemetry leave to their user.
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'

type Environment = Readonly<Record<string, string | undefined>>

export class TracingError extends Error {
  override readonly name = 'TracingError'
}

/** `OTEL_TRACES_SAMPLER` and its argument. */
export function readSampler(env: Environment): Sampler {
  const { OTEL_TRACES_SAMPLER: name = 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: ratio } = env
  const samplers: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(readRatio(ratio)),
  }
  const root = samplers[name.replace(/^parentbased_/, '')]?.()
  if (!root) throw new TracingError(`OTEL_TRACES_SAMPLER ${name} is not known. Use ${names(samplers)}.`)
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

const names = (samplers: object): string =>
  Object.keys(samplers)
    .flatMap((name) => [name, `parentbased_${name}`])
    .join(', ')

function readRatio(text = '1'): number {
  const ratio = Number(text)
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new TracingError(`OTEL_TRACES_SAMPLER_ARG ${text} is not a number from 0 to 1.`)
}

/** How spans are collected before they are sent: `OTEL_BSP_*`. */
export const readBatching = (env: Environment) => ({
  ...optional('scheduledDelayMillis', env.OTEL_BSP_SCHEDULE_DELAY),
  ...optional('maxQueueSize', env.OTEL_BSP_MAX_QUEUE_SIZE),
  ...optional('maxExportBatchSize', env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE),
  ...optional('exportTimeoutMillis', env.OTEL_BSP_EXPORT_TIMEOUT),
})

/** A value that is not a number counts as unset, as the specification of OpenTelemetry asks. */
function optional<Name extends string>(name: Name, text: string | undefined): Partial<Record<Name, number>> {
  const value = Number(text)
  return text && value > 0 ? ({ [name]: value } as Partial<Record<Name, number>>) : {}
}

/** `OTEL_EXPORTER_OTLP_PROTOCOL`. */
export function readProtocol(env: Environment): 'http/protobuf' | 'http/json' {
  const { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, OTEL_EXPORTER_OTLP_PROTOCOL } = env
  const protocol = OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf'
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol
  throw new TracingError(`OTEL_EXPORTER_OTLP_PROTOCOL ${protocol} is not supported. Use http/protobuf or http/json.`)
}
