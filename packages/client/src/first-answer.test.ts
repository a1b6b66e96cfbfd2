// A service that never answers: the client gives up after a few attempts, and says which address it has tried.
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { answer, startServer } from '../test/protocol-server.ts'
import { Runwright, type RunwrightOptions } from './index.ts'

/** An address on which nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

/** A client whose attempts are counted, and fail if `isAway` says so. */
function counting(baseUrl: string, options: RunwrightOptions = {}, isAway = () => false) {
  let attempts = 0
  const counted: typeof fetch = async (input, init) => {
    attempts += 1
    if (isAway()) throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
    return fetch(input, init)
  }
  const client = new Runwright({ baseUrl, apiKey: 'k:s', initialRetryDelayMs: 1, fetch: counted, ...options })
  return { client, attempts: () => attempts }
}

describe('a service that has never answered', () => {
  test('is given up after two retries, and the error names its address and the reason', async () => {
    const url = await closedAddress()
    const { client, attempts } = counting(url)
    const message = `No response from ${url}: the connection is refused (ECONNREFUSED). Check that the service is running`
    await expect(client.runs.list()).rejects.toThrow(message)
    expect(attempts()).toBe(3)
  })

  test.each([
    ['stream', (client: Runwright) => client.events.stream('run_1').next()],
    ['streamAll', (client: Runwright) => client.events.streamAll().next()],
  ])('is given up by %s, too', async (_name, open) => {
    const url = await closedAddress()
    const { client, attempts } = counting(url)
    await expect(open(client)).rejects.toThrow(`No response from ${url}: the connection is refused`)
    expect(attempts()).toBe(3)
  })

  test('is tried as often as the caller asks', async () => {
    const { client, attempts } = counting(await closedAddress(), { maxRetries: 4 })
    await expect(client.runs.list()).rejects.toThrow('No response')
    expect(attempts()).toBe(5)
    await expect(client.events.stream('run_1', { maxRetries: 3 }).next()).rejects.toThrow('No response')
    expect(attempts()).toBe(9)
  })
})

test('a service that has answered once is tried as often as before', async () => {
  let isAway = false
  const { url } = await startServer((_request, response) => answer(response, 200, {}))
  const { client, attempts } = counting(url, {}, () => isAway)
  await client.runs.list()
  isAway = true
  await expect(client.runs.list()).rejects.toThrow('No response')
  expect(attempts()).toBe(7)
})
