// An MCP server as a program, with one tool: it passes payments on to the shop whose URL is its argument.
import { createInterface } from 'node:readline'

const [, , shop] = process.argv
const send = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
const tool = { name: 'pay', description: 'Pays an invoice.', inputSchema: { type: 'object', properties: {} } }

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'desk', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': async ({ arguments: { invoice }, _meta }) => {
    const headers = { 'idempotency-key': _meta['runwright/idempotency_key'] }
    await fetch(`${shop}/pay/${invoice}`, { method: 'POST', headers })
    return { content: [{ type: 'text', text: 'paid' }] }
  },
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id !== undefined) send(id, (await methods[method]?.(params)) ?? {})
})
