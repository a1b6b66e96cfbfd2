// An MCP server with the orders of a shop. Replace the map by your database.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const orders = new Map([
  ['A-1001', { number: 'A-1001', item: 'Desk lamp', paid: 49, delivered: '2026-11-03', refunded: 0 }],
  ['A-1002', { number: 'A-1002', item: 'Office chair', paid: 312, delivered: null, refunded: 0 }],
])
/** One refund for each call: a call that is repeated has the same key. */
const refunds = new Map()

function findOrder(number) {
  const order = orders.get(number)
  if (!order) throw new Error(`There is no order ${number}.`)
  return order
}

const answer = (structuredContent) => ({
  structuredContent,
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
})

const server = new McpServer({ name: 'orders', version: '1.0.0' })

server.registerTool(
  'get_order',
  { description: 'Returns an order by its number.', inputSchema: { number: z.string() } },
  ({ number }) => answer(findOrder(number)),
)

server.registerTool(
  'refund_order',
  {
    description: 'Refunds a part of an order, or all of it, to the customer.',
    inputSchema: { number: z.string(), amount: z.number().positive(), reason: z.string() },
  },
  ({ number, amount }, { _meta }) => {
    const key = _meta?.['runwright/idempotency_key']
    if (refunds.has(key)) return refunds.get(key)
    const order = findOrder(number)
    if (amount > order.paid - order.refunded) throw new Error('The refund is higher than what was paid.')
    order.refunded += amount
    const result = answer({ number, refunded: order.refunded })
    refunds.set(key, result)
    return result
  },
)

await server.connect(new StdioServerTransport())
