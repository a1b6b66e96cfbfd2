// An MCP server as a program, with tools that answer with the text of a file: as JSON, as text, or as lines of their
// own.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const send = (id, result) => process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`)
const inputSchema = { type: 'object', properties: { file: { type: 'string' } } }
const tools = ['json', 'text', 'lines'].map((name) => ({ name, description: 'For tests.', inputSchema }))

const answers = {
  json: (id, content) => send(id, `{"content":[],"structuredContent":{"a":${content}}}`),
  text: (id, content) => send(id, JSON.stringify({ content: [{ type: 'text', text: content }] })),
  lines: (id, content) => {
    process.stdout.write(content)
    send(id, JSON.stringify({ content: [{ type: 'text', text: 'done' }] }))
  },
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'giver', version: '1' },
  }),
  'tools/list': () => ({ tools }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  if (method === 'tools/call') answers[params.name](id, readFileSync(params.arguments.file, 'utf8'))
  else send(id, JSON.stringify(methods[method]?.(params) ?? {}))
})
