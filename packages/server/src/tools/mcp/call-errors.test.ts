// What an error of an MCP server says about the effect of a call.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deadUrl, McpBench } from '../../../test/support/mcp.ts'
import { mcpAnswers, Shop } from '../../../test/support/shop.ts'

const shop = new Shop()
let bench: McpBench
beforeAll(async () => {
  await shop.open()
  const { shop: server } = shop.mcpServers()
  bench = new McpBench({
    shop: server,
    careful: { ...server, errors: 'before_effect' },
    mixed: { ...server, errors: { refund: 'before_effect' } },
    fragile: server,
    'fragile-too': { ...server, errors: 'before_effect' },
    gone: { url: await deadUrl(), allow: ['pay'] },
  })
  await bench.connected(5)
})
afterAll(async () => {
  await bench.servers.stop()
  shop.close()
})

test.each([
  ['an error of the tool', mcpAnswers.toolError, false],
  ['an internal error', mcpAnswers.protocolError(-32_603), false],
  ['an error of its own', mcpAnswers.protocolError(-32_001), false],
  ['invalid arguments', mcpAnswers.protocolError(-32_602), true],
  ['an unknown method', mcpAnswers.protocolError(-32_601), true],
  ['status 400', mcpAnswers.status(400), true],
  ['status 401', mcpAnswers.status(401), true],
  ['status 503', mcpAnswers.status(503), false],
] as const)('%s: it had no effect: %s', async (name, answer, hadNone) => {
  shop.answers.set(name, answer)
  const result = await bench.call('shop.pay', { invoice: name })
  expect(result.outcome).toBe('failed')
  expect('noEffect' in result).toBe(hadNone)
  expect(shop.paymentsOf(name)).toHaveLength(1)
})

test.each([
  ['shop', false],
  ['careful', true],
  ['mixed', false],
])('an error of the tool comes before its effect if the file says so: %s: %s', async (server, hadNone) => {
  shop.answers.set('x', mcpAnswers.toolError)
  const result = await bench.call(`${server}.pay`, { invoice: 'x' })
  expect(result).toEqual({ outcome: 'failed', message: 'declined', ...(hadNone && { noEffect: true }) })
})

test.each(['fragile', 'fragile-too'])(
  'the end of the connection does not, whatever the file says: %s',
  async (server) => {
    shop.answers.set(server, mcpAnswers.cut)
    const result = await bench.call(`${server}.pay`, { invoice: server })
    expect(result).toEqual({ outcome: 'failed', message: expect.stringContaining('disconnected during the call') })
    expect(shop.paymentsOf(server)).toHaveLength(1)
  },
)

test('a server that is not connected gets nothing', async () => {
  expect(await bench.call('gone.pay', {})).toMatchObject({ outcome: 'failed', noEffect: true })
})
