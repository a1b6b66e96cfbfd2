import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Terminal } from '../../../test/support/cli.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function tools(answer: RequestListener, ...args: string[]): Promise<string> {
  const listening = createServer(answer).listen(0, '127.0.0.1')
  server = listening
  await new Promise((resolve) => listening.once('listening', resolve))
  const { port } = listening.address() as AddressInfo
  const env = { RUNWRIGHT_URL: `http://127.0.0.1:${port}`, RUNWRIGHT_API_KEY: 'key_1:s' }
  const pipe = new Terminal(env, { isTTY: false })
  await pipe.run('tools', ...args)
  return pipe.output
}

const clock = {
  name: 'everything.clock',
  description: 'a\u001b[2Jb',
  source: 'mcp',
  file: null,
  server: 'everything',
  effect: null,
  policy: { rule: 'ask', description: 'Each call needs approval.' },
}
const pay = {
  ...clock,
  name: 'pay',
  description: 'Pays.',
  source: 'own',
  file: 'pay.mjs',
  server: null,
  effect: 'once',
}
const wait = { ...pay, name: 'wait', source: 'built-in', file: null, policy: { rule: 'allow' } }

const respondWith =
  (...list: object[]): RequestListener =>
  ({ url, headers }, response) => {
    const isAsked = url === '/v1/tools' && headers.authorization === 'Bearer key_1:s'
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ tools: isAsked ? list : [], request_id: 'req_1' }))
  }

test('lists the tools with their source and policy, and text of MCP servers cannot control the terminal', async () => {
  expect((await tools(respondWith(wait, pay, clock))).split('\n')).toEqual([
    'NAME              SOURCE            EFFECT  POLICY  DESCRIPTION',
    'wait              built-in          once    allow   Pays.',
    'pay               own (pay.mjs)     once    ask     Pays.',
    'everything.clock  mcp (everything)  varies  ask     a\\u{1b}[2Jb',
    '',
  ])
})

test('as JSON, all that the service returned', async () => {
  expect(JSON.parse(await tools(respondWith(clock), '--json'))).toEqual({ tools: [clock], request_id: 'req_1' })
})

test('a service without tools says so', async () => {
  expect(await tools(respondWith())).toBe('This service has no tools.\n')
})

test('a refusal is one sentence with the request id', async () => {
  const refused = tools((_request, response) => {
    response.statusCode = 403
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ message: 'The key lacks runs:read.', reason_code: 'SCOPE_DENIED', request_id: 'req_1' }),
    )
  })
  await expect(refused).rejects.toThrow(/^The key lacks runs:read\. .*\(req_1\)$/)
})
