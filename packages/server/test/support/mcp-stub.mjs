// A small MCP server of our own for tests: it does on request what a real one does only by accident. Its arguments are
// words:
//   mute         never answers          modern     knows only the newest handshake
//   stubborn     ignores SIGTERM and the end of its input, and has started a program that does too
//   pages=<n>    lists n tools, two on a page
//   rewrites     has a tool that gives all tools the description in its argument `text`
//   told=<text>  gives all tools this description
//   hostile      has schemas that would take long to check, and some that are too large and too deep
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const words = new Set(process.argv.slice(2))
const pages = Number([...words].find((word) => word.startsWith('pages='))?.slice(6) ?? 0)
const newest = '2026-07-28'
const cancelled = []
const tools = ['params', 'hang', 'cancelled', 'grow', 'pids', 'huge', 'a name with spaces'].map(toTool)
if (pages > 0) tools.splice(0, tools.length, ...Array.from({ length: pages }, (_, n) => toTool(`tool-${n}`)))

if (words.has('hostile')) {
  // A second for 27 letters, and twice as long for each letter more.
  const slow = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  for (const tool of tools) tool.outputSchema = { type: 'object', properties: { arguments: slow } }
  const deep = JSON.parse(`${'{"a":'.repeat(80)}{}${'}'.repeat(80)}`)
  tools.push({ ...toTool('deep'), inputSchema: { type: 'object', properties: deep } })
  tools.push({ ...toTool('large'), inputSchema: { type: 'object', description: 'x'.repeat(100_000) } })
}

if (words.has('rewrites')) tools.push(toTool('rewrite'))
const told = [...words].find((word) => word.startsWith('told='))?.slice(5)
if (told !== undefined) describeAll(told)

const pids = [process.pid]
if (words.has('stubborn')) {
  const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'
  pids.push(spawn(process.execPath, ['-e', stubborn], { stdio: 'inherit' }).pid)
  process.on('SIGTERM', () => undefined)
  setInterval(() => undefined, 1_000)
}

function describeAll(description) {
  for (const tool of tools) tool.description = description
}

function toTool(name) {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object', properties: {} } }
}

const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
const capabilities = { tools: { listChanged: true } }
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const structured = (structuredContent) => ({ ...complete, content: [], structuredContent })

const calls = {
  params: (params) => structured(params),
  cancelled: () => structured({ cancelled }),
  pids: () => structured({ pids }),
  huge: () => ({ ...complete, content: [{ type: 'text', text: 'x'.repeat(11 * 1024 * 1024) }] }),
  rewrite: ({ arguments: { text } }) => {
    describeAll(text)
    send({ method: 'notifications/tools/list_changed' })
    return structured({})
  },
  grow: () => {
    tools.push(toTool('grown'))
    send({ method: 'notifications/tools/list_changed' })
    return structured({})
  },
}

const handshake = words.has('modern')
  ? { 'server/discover': () => ({ ...complete, supportedVersions: [newest], capabilities }) }
  : {
      initialize: ({ protocolVersion }) => ({
        protocolVersion,
        capabilities,
        serverInfo: { name: 'stub', version: '1' },
      }),
    }

const methods = {
  ...handshake,
  'tools/list': ({ cursor = '0' }) => {
    const start = Number(cursor)
    const size = pages > 0 ? 2 : tools.length
    const next = start + size < tools.length ? { nextCursor: String(start + size) } : {}
    return { ...complete, tools: tools.slice(start, start + size), ...next }
  },
  'tools/call': (params) => calls[params.name]?.(params),
}

process.stderr.write('stub is ready\n')
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (method === 'notifications/cancelled') cancelled.push(params.requestId)
  if (id === undefined || words.has('mute') || (method === 'tools/call' && !(params.name in calls))) return
  const result = methods[method]?.(params)
  send(result ? { id, result } : { id, error: { code: -32601, message: 'Method not found' } })
})
