// Writes the spans of runs, each when it has finished:
//
//   invoke_workflow           a run, from its creation to its end
//   ├ plan                    a planner step
//   │ └ chat <model>          a call to a model
//   ├ chat <model>
//   └ execute_tool <name>     a tool call
//
// A run outlives the process that executes it. So no span stays open: its ids follow from the run, and a span refers to
// its parent although another process writes that later.

import type { Attributes, SpanContext, Tracer } from '@opentelemetry/api'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { toWireId } from '../../runtime/ids.ts'
import { formatTraceparent, parseTraceparent } from '../../runtime/traceparent.ts'
import { attributes as names } from './attributes.ts'
import { spanIdOf, spanKeys, type TracedRun, traceIdOf } from './span-ids.ts'

interface TracingOptions {
  readonly tracer: Tracer
  /** The ids that the tracer gives to the next span. */
  readonly ids: { traceId: string; spanId: string }
  readonly stop: () => Promise<void>
}

export interface FinishedSpan {
  readonly run: TracedRun
  readonly key: string
  /** Default: the run. */
  readonly parentKey?: string | undefined
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  /** Whether it is the client's side of a call to another server. */
  readonly isClient?: boolean
  /** A word for the kind of failure. Undefined: it succeeded. */
  readonly error?: string | undefined
}

export class Tracing {
  readonly #options: TracingOptions

  constructor(options: TracingOptions) {
    this.#options = options
  }

  /** For a request that is sent within the span with this key, also before the span is written. */
  traceparent(run: TracedRun, key: string): string {
    const { traceId, traceFlags } = this.#contextOf(run)
    return formatTraceparent({ traceId, spanId: spanIdOf(run, key), isSampled: traceFlags === TraceFlags.SAMPLED })
  }

  write(span: FinishedSpan): void {
    const { run, key, parentKey = spanKeys.run } = span
    const { traceId, traceFlags } = this.#contextOf(run)
    const isRoot = key === spanKeys.run
    const parent = isRoot ? parentOf(run) : { traceId, traceFlags, spanId: spanIdOf(run, parentKey) }
    const started = this.#start(run, { ...span, attributes: { ...span.attributes, ...commonTo(span) }, parent })
    if (span.error !== undefined) started.setStatus({ code: SpanStatusCode.ERROR, message: span.error })
    started.end(span.endMs)
  }

  async stop(): Promise<void> {
    await this.#options.stop()
  }

  /** The span of the run decides whether its trace is sampled. It is not written here: it does not end. */
  #contextOf(run: TracedRun): SpanContext {
    return this.#start(run, { key: spanKeys.run, name: '', parent: parentOf(run) }).spanContext()
  }

  #start(run: TracedRun, { key, name, startMs, attributes = {}, isClient, parent }: Start) {
    const { ids, tracer } = this.#options
    // The tracer asks for them before `startSpan` returns.
    ids.traceId = traceIdOf(run)
    ids.spanId = spanIdOf(run, key)
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    const kind = isClient ? SpanKind.CLIENT : SpanKind.INTERNAL
    return tracer.startSpan(name, { kind, attributes, ...(startMs !== undefined && { startTime: startMs }) }, context)
  }
}

function commonTo({ run, error }: FinishedSpan): Attributes {
  const id = toWireId('run', run.id)
  return { [names.runId]: id, [names.conversationId]: id, ...(error !== undefined && { [names.errorType]: error }) }
}

interface Start {
  readonly key: string
  readonly name: string
  readonly startMs?: number
  readonly attributes?: Attributes
  readonly isClient?: boolean
  readonly parent: SpanContext | undefined
}

/** The span of the client that created the run. */
function parentOf({ traceparent }: TracedRun): SpanContext | undefined {
  const parent = parseTraceparent(traceparent)
  if (!parent) return undefined
  const { traceId, spanId, isSampled } = parent
  return { traceId, spanId, isRemote: true, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE }
}
