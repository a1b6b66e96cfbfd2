// One running service for all pages of the docs, with the data that their examples show.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLocalClient } from '../../src/runtime/files/local-client.ts'
import { fromWireId, newUuid } from '../../src/runtime/ids.ts'
import { recordDefinitions } from '../../src/store/installation/tool-definitions.ts'
import { saveMemoryItems } from '../../src/store/memory/save.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import { modelOf } from '../guides/guide-models.ts'
import { newReaderHome } from '../guides/reader-home.ts'
import { ReaderProcess } from '../guides/reader-process.ts'
import { startMockProvider } from '../support/providers/mock-provider.ts'
import { PageReader } from './page-reader.ts'

const project = join(import.meta.dirname, '../../../..')

// The pages run the command without npx in front of it, too.
const runwright = `#!/bin/sh
exec "${project}/node_modules/.bin/runwright" "$@"
`

// As in a checkout.
const manifest = '{ "private": true, "scripts": { "runwright": "runwright" } }\n'

// npx itself takes half a second for every command.
const npx = `#!/bin/sh
[ "$1" = -y ] && shift
program=$1
shift
case $program in @modelcontextprotocol/*) program=mcp-\${program#*/} ;; esac
exec "${project}/node_modules/.bin/$program" "$@"
`

export interface PageHome {
  newReader(page: string): PageReader
  close(): Promise<void>
}

export async function startPageHome(): Promise<PageHome> {
  const home = await newReaderHome({ migrated: true })
  const root = home.folder
  const dataDir = join(root, 'data')
  mkdirSync(join(root, 'bin'))
  writeFileSync(join(root, 'bin/runwright'), runwright, { mode: 0o755 })
  writeFileSync(join(root, 'bin/npx'), npx, { mode: 0o755 })
  // A refused request would otherwise look like a success.
  writeFileSync(join(root, '.curlrc'), 'fail-with-body\n')
  symlinkSync(join(project, 'examples'), join(home.folder, 'examples'))
  const path = `${join(root, 'bin')}:${home.env.PATH}`
  const env = { ...home.env, PATH: path, DATABASE_URL: home.databaseUrl, RUNWRIGHT_DATA_DIR: dataDir }
  const start = 'RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES=allow RUNWRIGHT_MCP_CONFIG=examples/mcp/mcp.json runwright start'
  const service = new ReaderProcess({ kind: 'service', script: start, env, cwd: home.folder }, join(root, 'state'))
  if (!(await service.prints((output) => output.includes('Runwright is ready.')))) throw new Error(service.output)
  const { url, apiKey } = readLocalClient(dataDir) ?? { url: '', apiKey: '' }
  await addData(home.database)
  const runId = await addRun(url, apiKey)
  const provider = await startMockProvider('openai-responses', modelOf('evals.md'), { apiKey: 'sk-page' })
  const variables = { KEY: apiKey, API_KEY: apiKey, RUNWRIGHT_API_KEY: apiKey, RUNWRIGHT_URL: url, RUN: runId }
  const models = { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'sk-page' }
  return {
    newReader(page) {
      const folder = join(root, 'pages', page)
      mkdirSync(folder, { recursive: true })
      symlinkSync(join(project, 'examples'), join(folder, 'examples'))
      writeFileSync(join(folder, 'package.json'), manifest)
      const replacements = new Map([...home.replacements, ['key_…:…', apiKey]])
      return new PageReader({
        folder,
        env: { ...env, ...variables, ...models },
        replacements,
        runId,
        log: () => service.output,
      })
    },
    async close() {
      await service.stop()
      await provider.close()
      await home.remove()
    },
  }
}

/** The item of docs/memory.md, and a changed tool for docs/mcp.md. */
async function addData(database: Database): Promise<void> {
  const id = fromWireId('mem', 'mem_01kd2y6v5zexp8mx5kq4c5nq9h') ?? ''
  const area = { customerId: 'default', workspaceId: 'acme-finance', subjectId: 'user-42' }
  const content = { title: 'Approval limit', content: 'Payments over 1,000.00 need an approval.', tags: ['payments'] }
  const item = { id, runId: newUuid(), kind: 'fact' as const, confidence: 0.9, embedding: undefined }
  await saveMemoryItems(database, [{ ...area, ...content, ...item }], async () => [])
  for (const hash of ['before', 'after']) {
    const tools = [{ tool: 'create_issue', hash, definition: {} }]
    await recordDefinitions(database, { server: 'tracker', tools, refusesNew: false })
  }
}

/** Returns the id of a run that has ended. */
async function addRun(url: string, apiKey: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': 'page' }
  const labels = { workspace_id: 'acme-finance', subject_id: 'user-42' }
  const body = JSON.stringify({ input: { goal: 'Add two numbers' }, metadata: {}, ...labels })
  const created = await fetch(`${url}/v1/runs`, { method: 'POST', headers, body })
  const { id } = (await created.json()) as { id: string }
  // The stream ends with the run.
  await (await fetch(`${url}/v1/runs/${id}/events/stream`, { headers })).text()
  return id
}
