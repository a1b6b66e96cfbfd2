import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Terminal } from '../../../test/support/cli.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function tools(answer: RequestListener): Promise<string> {
  const listening = createServer(answer).listen(0, '127.0.0.1')
  server = listening
  await new Promise((resolve) => listening.once('listening', resolve))
  const { port } = listening.address() as AddressInfo
  const env = { RUNWRIGHT_URL: `http://127.0.0.1:${port}`, RUNWRIGHT_API_KEY: 'key_1:s' }
  const pipe = new Terminal(env, { isTTY: false })
  await pipe.run('tools')
  return pipe.output
}

test('lists the tools with their policy, and text of MCP servers cannot control the terminal', async () => {
  const clock = { name: 'clock', description: 'a\u001b[2Jb', source: 'mcp', server: 'everything', policy: 'ask' }
  const shown = await tools((request, response) => {
    const isAsked = request.url === '/v1/tools' && request.headers.authorization === 'Bearer key_1:s'
    response.end(JSON.stringify({ tools: isAsked ? [clock] : [] }))
  })
  expect(shown).toBe('NAME   SOURCE            POLICY  DESCRIPTION\nclock  mcp (everything)  ask     a\\u{1b}[2Jb\n')
})

test('a refusal is one sentence with the request id', async () => {
  const refused = tools((_request, response) => {
    response.statusCode = 403
    response.end(
      JSON.stringify({ message: 'The key lacks runs:read.', reason_code: 'SCOPE_DENIED', request_id: 'req_1' }),
    )
  })
  await expect(refused).rejects.toThrow(/^The key lacks runs:read\. .*\(req_1\)$/)
})
