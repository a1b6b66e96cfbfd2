// An MCP server for tests that repeats its secret wherever it can: on standard error, in descriptions, results and
// errors, and when it ends. The secret is the variable TELLTALE_TOKEN.
import { createInterface } from 'node:readline'

const secret = process.env.TELLTALE_TOKEN ?? 'no secret'
const writings = [secret, JSON.stringify({ secret }), encodeURIComponent(secret), btoa(secret), `Bearer ${secret}`]
const said = `The secret is ${writings.join(' or ')}`

const names = ['tell', 'tell_structured', 'fail', 'protocol_error', 'crash']
const tools = names.map((name) => ({ name, description: `${name}: ${said}`, inputSchema: { type: 'object' } }))
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const calls = {
  tell: () => ({ content: [{ type: 'text', text: said }] }),
  tell_structured: () => ({ content: [], structuredContent: { [secret]: writings } }),
  fail: () => ({ isError: true, content: [{ type: 'text', text: said }] }),
  crash: () => {
    process.stderr.write(`crashed: ${said}\n`)
    process.exit(1)
  },
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: secret, version: '1' },
    instructions: said,
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => calls[name]?.(),
}

process.stderr.write(`started: ${said}\n`)
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  const result = methods[method]?.(params)
  send(result ? { id, result } : { id, error: { code: -32_603, message: said, data: { secret } } })
})
