// The service in the pictures: as `npm start` runs it, with a temporary data folder, and a model server beside it that
// answers one question.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startProcess } from '../bench/lib/service.mjs'
import { projectRoot } from './setup.mjs'

const key = 'key_demo:a-secret-of-the-pictures'
export const demoModel = 'openai-compatible/qwen3-32b'

export async function startDemo() {
  const provider = await startProcess('./serve-provider.mjs')
  const dataDir = mkdtempSync(join(tmpdir(), 'runwright-pictures-'))
  const child = spawn(process.execPath, [join(projectRoot, 'packages/server/bin/runwright.mjs'), 'start'], {
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      RUNWRIGHT_DATA_DIR: dataDir,
      RUNWRIGHT_PORT: '0',
      RUNWRIGHT_LOG_LEVEL: 'warn',
      RUNWRIGHT_BOOTSTRAP_KEYS: `acme=${key}`,
      RUNWRIGHT_AGENTS_DIR: join(projectRoot, 'examples/agents'),
      RUNWRIGHT_TOOL_POLICY: join(projectRoot, 'examples/policy/policy.json'),
      RUNWRIGHT_MODELS_ALLOWED: demoModel,
      OPENAI_COMPATIBLE_BASE_URL: provider.url,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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
    return { url, key, stop }
  }
  await stop()
  throw new Error('The service ended before it was ready.')
}
