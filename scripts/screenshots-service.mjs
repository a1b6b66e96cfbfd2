// The service in the pictures: as `npm start` runs it, with a temporary data folder, and a model server beside it that
// answers one question.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startProcess } from '../bench/lib/service.mjs'
import { projectRoot } from './setup.mjs'

const bootstrapKey = 'key_demo:a-secret-of-the-pictures'
const program = join(projectRoot, 'packages/server/bin/runwright.mjs')
export const demoModel = 'openai-compatible/qwen3-32b'

export async function startDemo() {
  const provider = await startProcess('./serve-provider.mjs')
  const dataDir = mkdtempSync(join(tmpdir(), 'runwright-pictures-'))
  const env = {
    PATH: process.env.PATH,
    HOME: dataDir,
    RUNWRIGHT_DATA_DIR: dataDir,
    RUNWRIGHT_PORT: '0',
    RUNWRIGHT_LOG_LEVEL: 'warn',
    RUNWRIGHT_BOOTSTRAP_KEYS: `acme=${bootstrapKey}`,
    RUNWRIGHT_AGENTS_DIR: join(projectRoot, 'examples/agents'),
    RUNWRIGHT_TOOL_POLICY: join(projectRoot, 'examples/policy/policy.json'),
    RUNWRIGHT_MODELS_ALLOWED: demoModel,
    RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
    OPENAI_COMPATIBLE_BASE_URL: provider.url,
  }
  const child = spawn(process.execPath, [program, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  /** On the command line: keys that are made at the start may not create one with all scopes. */
  const createKey = (name, scopes) => {
    const args = ['keys', 'create', '--customer', 'acme', '--name', name, '--scopes', scopes.join()]
    return execFileSync(process.execPath, [program, ...args], { env, encoding: 'utf8' }).trim()
  }
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    await provider.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /API +(http\S+)/.exec(line) ?? []
    if (url === undefined) continue
    child.stdout.resume()
    return { url, createKey, stop }
  }
  await stop()
  throw new Error('The service ended before it was ready.')
}
