// Redirects: a server that the service calls answers with the address of another one. Neither a key nor a prompt nor a
// call may reach it, and nothing that it answers may be shown. Webhooks: `webhooks/deliverer.test.ts`; `http_fetch` and
// attachments, which have rules of their own: `tools/http-fetch`.
import type { AddressInfo } from 'node:net'
import { Runwright } from '@runwright/client'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ServiceClient } from '../../src/evals/run/service-client.ts'
import { CellGate } from '../../src/http/cells/cell-gate.ts'
import { chooseEmbedder } from '../../src/memory/embedders/choose-embedder.ts'
import type { WireFormat } from '../../src/models/config/wire-format.ts'
import { openProviderModel } from '../../src/models/provider/open-model.ts'
import { newUuid } from '../../src/runtime/ids.ts'
import { createLogger } from '../../src/runtime/logger.ts'
import { openTracing } from '../../src/telemetry/traces/open-tracing.ts'
import { spanKeys } from '../../src/telemetry/traces/span-ids.ts'
import { gateDefaults } from '../support/cells.ts'
import { McpBench } from '../support/mcp.ts'
import { ask } from '../support/provider-models.ts'
import { startRedirecting } from '../support/redirecting.ts'

const statuses = [301, 302, 303, 307, 308]
const formats: readonly WireFormat[] = ['openai', 'openai-chat', 'anthropic', 'google', 'openai-compatible']
const apiKey = 'sk-redirect-secret'

describe.each(formats)('a provider of the format %s', (format) => {
  test.each(statuses)('that redirects with %i gets nothing sent elsewhere, and the failure says so', async (status) => {
    const { url, foreignUrl, asked, leaked } = await startRedirecting(status)
    const server = { baseUrl: `${url}/v1`, apiKey, headers: { 'x-gateway-token': 'gateway-secret' } }
    const model = await openProviderModel({ name: 'here/m', format, model: 'm', server })
    const outcome = await ask(model)
    expect(asked).toHaveLength(1)
    expect(leaked).toEqual([])
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_error', retry: 'never', text: '' })
    const { message } = outcome as { readonly message: string }
    expect(message).toContain(`The provider here redirects to ${foreignUrl} (status ${status}).`)
    expect(message).not.toMatch(/secret|foreign-answer|v1/)
  })
})

test.each(statuses)('an embedding server that redirects with %i gets no text sent elsewhere', async (status) => {
  const { url, foreignUrl, asked, leaked } = await startRedirecting(status)
  const embedder = await chooseEmbedder('openai-compatible/m', () => ({ baseUrl: url, apiKey }))
  await expect(embedder.embed(['a private note'])).rejects.toThrow(`the embedding server redirects to ${foreignUrl}`)
  expect(asked).toEqual(['POST /embeddings'])
  expect(leaked).toEqual([])
})

test.each(statuses)('an MCP server that redirects with %i gets no header sent elsewhere', async (status) => {
  const { url, foreignUrl, leaked } = await startRedirecting(status)
  const bench = new McpBench({ web: { url: `${url}/mcp`, headers: { authorization: 'Bearer mcp-secret' } } })
  try {
    const { reason, detail } = await bench.away()
    expect(reason).toBe('it redirects, which is not followed')
    // For the operator, who reads the log. The reason is shown to clients.
    expect(detail).toContain(`The MCP server redirects to ${foreignUrl} (status ${status}).`)
    expect(leaked).toEqual([])
  } finally {
    await bench.servers.stop()
  }
})

test.each(statuses)('a collector of traces that redirects with %i gets no span sent elsewhere', async (status) => {
  const { url, asked, leaked } = await startRedirecting(status)
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'api-key=otel-secret')
  const tracing = await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, createLogger({ level: 'silent' }))
  vi.unstubAllEnvs()
  const run = { id: newUuid(), attempt: 1 }
  tracing?.write({ run, key: spanKeys.run, name: 'span', startMs: 1, endMs: 2, attributes: {} })
  await tracing?.stop()
  expect(asked).toEqual(['POST /v1/traces'])
  expect(leaked).toEqual([])
})

test('a cell that redirects gets its answer passed on, and the gate follows nothing', async () => {
  const { url, foreignUrl, asked, leaked } = await startRedirecting(307)
  const routes = { find: async () => ({ kind: 'cell', name: 'a', url }) as const }
  const gate = new CellGate({ cells: [{ name: 'a', url }], routes, ...gateDefaults() })
  await new Promise<void>((resolve) => gate.server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => gate.stop())
  const { port } = gate.server.address() as AddressInfo
  const init = { method: 'POST', body: '{}', headers: { authorization: 'Bearer key_1:x' }, redirect: 'manual' } as const
  const response = await fetch(`http://127.0.0.1:${port}/v1/runs`, init)
  expect([response.status, response.headers.get('location')]).toEqual([307, `${foreignUrl}/v1/runs`])
  expect(asked).toEqual(['POST /v1/runs'])
  expect(leaked).toEqual([])
})

describe('a service that redirects', () => {
  test.each(statuses)('with %i gets neither key nor body of the client sent elsewhere', async (status) => {
    const { url, foreignUrl, asked, leaked } = await startRedirecting(status)
    const client = new Runwright({ baseUrl: url, apiKey: 'key_1:client-secret', maxRetries: 0 })
    const words = `The service redirects to ${foreignUrl}. Redirects are not followed`
    await expect(client.runs.create({ input: { password: 'x' } })).rejects.toThrow(words)
    await expect(client.runs.list()).rejects.toThrow(words)
    await expect(client.health.ready()).rejects.toThrow(words)
    await expect(client.events.stream('run_1', { maxRetries: 0 }).next()).rejects.toThrow(words)
    expect(asked).toHaveLength(4)
    expect(leaked).toEqual([])
  })

  test.each(statuses)('with %i gets nothing of an evaluation sent elsewhere', async (status) => {
    const { url, asked, leaked } = await startRedirecting(status)
    const client = new ServiceClient(url, 'key_1:client-secret')
    await expect(client.create({ input: {} }, 'a')).rejects.toThrow()
    await expect(client.read('run_1')).rejects.toThrow()
    expect(asked).toHaveLength(2)
    expect(leaked).toEqual([])
  })
})
