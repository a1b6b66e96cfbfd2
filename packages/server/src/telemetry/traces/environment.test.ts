import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { SamplingDecision } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { readBatching, readProtocol, readSampler } from './environment.ts'

const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }

function isSampled(env: Record<string, string>, context = ROOT_CONTEXT): boolean {
  const { decision } = readSampler(env).shouldSample(context, 'f'.repeat(32), 'run', SpanKind.INTERNAL, {}, [])
  return decision === SamplingDecision.RECORD_AND_SAMPLED
}

test.each([
  [{}, true, true],
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, false, false],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, false, true],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, false, false],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '1' }, true, true],
])('%j samples a new trace: %s, and that of a sampled parent: %s', (env, alone, below) => {
  expect(isSampled(env as Record<string, string>)).toBe(alone)
  expect(isSampled(env as Record<string, string>, trace.setSpanContext(ROOT_CONTEXT, parent))).toBe(below)
})

test('a ratio that is not one is refused', () => {
  const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }
  expect(() => readSampler(env)).toThrow('OTEL_TRACES_SAMPLER_ARG 2 is not a number from 0 to 1.')
})

test('batching has only the numbers that are set', () => {
  expect(readBatching({ OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_BSP_MAX_QUEUE_SIZE: 'many' })).toEqual({
    scheduledDelayMillis: 20,
  })
})

test('the protocol of traces wins over that of all signals', () => {
  expect(readProtocol({})).toBe('http/protobuf')
  const both = { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  expect(readProtocol(both)).toBe('http/json')
})
