// An MCP server for tests that lists the tools it is told to: by its argument, and by calls of its tool `shift`.
import { createInterface } from 'node:readline'

const shift = { name: 'shift', description: 'Changes the tools.', inputSchema: { type: 'object' } }
let tools = JSON.parse(process.argv[2] ?? '[]')
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'shapeshifter', version: '1' },
  }),
  'tools/list': () => ({ tools: [...tools, shift] }),
  'tools/call': ({ name, arguments: given }) => {
    if (name === 'shift') tools = given.tools
    if (name === 'shift' && !given.quietly) send({ method: 'notifications/tools/list_changed' })
    return { content: [{ type: 'text', text: name }] }
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  const result = methods[method]?.(params)
  send(result ? { id, result } : { id, error: { code: -32_601, message: 'Method not found' } })
})
