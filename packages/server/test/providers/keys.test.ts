// Which keys and headers a provider receives, and which it never does.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { wireFormats } from '../../src/models/config/wire-format.ts'
import { ask, type OpenedModel, openOnMock, testKey } from '../support/provider-models.ts'
import { fail, say } from '../support/providers/script.ts'

let opened: OpenedModel | undefined
afterEach(() => {
  vi.unstubAllEnvs()
  return opened?.mock.close()
})

const headersWithKey = (headers: object, key: string): string[] =>
  Object.entries(headers).flatMap(([name, value]) => (String(value).includes(key) ? [name] : []))

/** A gateway that wants its own headers, which the strict mocks do not know. */
async function startRecorder() {
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    headers.push(request.headers)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      return headers
    },
  }
}

describe.each(wireFormats)('%s', (format) => {
  test('the key goes into the header of the format', async () => {
    opened = await openOnMock({ format, script: [say('hi')] })
    expect(await ask(opened.model)).toMatchObject({ kind: 'reply' })
    const expected = { anthropic: 'x-api-key', google: 'x-goog-api-key' }[format as string] ?? 'authorization'
    expect(headersWithKey(opened.mock.requests[0]?.headers ?? {}, testKey)).toEqual([expected])
  })

  test('or into the header that is configured, beside other headers', async () => {
    const gateway = await startRecorder()
    const headers = { 'x-team': 'search', authorization: { env: 'TEST_HEADER' } }
    const config = { baseUrl: gateway.url, keyHeader: 'x-gateway-key', headers }
    opened = await openOnMock({ format, script: [], config })
    await ask(opened.model)
    const [seen = {}] = await gateway.stop()
    expect(headersWithKey(seen, testKey)).toEqual(['x-gateway-key'])
    expect(seen).toMatchObject({ 'x-team': 'search', authorization: 'header-secret-1' })
  })

  test('as a bearer token if that is the authorization header', async () => {
    const gateway = await startRecorder()
    const config = { baseUrl: gateway.url, keyHeader: 'authorization' }
    opened = await openOnMock({ format, script: [], config })
    await ask(opened.model)
    const [seen = {}] = await gateway.stop()
    expect(headersWithKey(seen, testKey)).toEqual(['authorization'])
    expect(seen.authorization).toBe(`Bearer ${testKey}`)
  })

  test('a provider without a key gets none, not even that of the environment', async () => {
    for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']) {
      vi.stubEnv(name, testKey)
    }
    opened = await openOnMock({ format, script: [say('hi')], config: { keyEnv: undefined } })
    expect(await ask(opened.model)).toMatchObject({ kind: 'failure', reasonCode: 'provider_auth' })
    expect(opened.mock.requests).toEqual([])
  })

  test('a message never shows the key or a secret header', async () => {
    const message = `Access denied to ${testKey} with header-secret-1`
    opened = await openOnMock({
      format,
      script: [fail('forbidden', { message })],
      config: { headers: { 'x-session': { env: 'TEST_HEADER' } } },
    })
    const outcome = await ask(opened.model)
    expect(outcome).toMatchObject({
      kind: 'failure',
      message: expect.stringContaining('Access denied to *** with ***'),
    })
    expect(JSON.stringify(outcome)).not.toContain('header-secret-1')
  })
})
