// A collector of traces on loopback: decodes what the real exporter sends as OTLP over HTTP with JSON.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Occurrences } from './occurrences.ts'

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 1: internal, 3: client. */
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number; readonly message?: string }
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[]
  }[]
}

export interface Collector {
  readonly url: string
  readonly spans: Occurrences<CollectedSpan>
  /** Every request as it came. */
  readonly bodies: Buffer[]
  readonly types: string[]
  /** The spans of a trace, as soon as there is one with this name. */
  trace(traceId: string, name: string): Promise<CollectedSpan[]>
  stop(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const spans = new Occurrences<CollectedSpan>()
  const [bodies, types]: [Buffer[], string[]] = [[], []]
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    bodies.push(body)
    types.push(`${request.method} ${request.url} ${request.headers['content-type']}`)
    if (request.headers['content-type'] === 'application/json') {
      const { resourceSpans } = JSON.parse(body.toString()) as Export
      for (const { scopeSpans } of resourceSpans)
        for (const scope of scopeSpans) for (const span of scope.spans) spans.add(span)
    } else spans.changed()
    response.setHeader('content-type', 'application/json').end('{}')
  })
  // The default is 5 seconds, less than a test may pause: an export must not meet a connection that is being closed.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const ofTrace = (traceId: string) => spans.all.filter((span) => span.traceId === traceId)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    types,
    trace: async (traceId, name) => {
      await spans.nth(1, (span) => span.traceId === traceId && span.name === name)
      return ofTrace(traceId)
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
