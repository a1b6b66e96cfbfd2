// Own tools that do to a process what no tool may do: one blocks its event loop for good, one kills it.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const tools = `
const input = { type: 'object', properties: {} }
const tool = (name, run) => ({ name, description: 'For tests.', input, effect: 'read', run })
function blockForGood() {
  for (;;) Math.random()
}
export default [
  tool('block', async () => blockForGood()),
  tool('die', async () => process.kill(process.pid, 'SIGKILL')),
]`

/** A folder for \`RUNWRIGHT_TOOLS_DIR\`. */
export async function poisonTools(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'runwright-poison-'))
  await writeFile(join(folder, 'poison.mjs'), tools)
  return folder
}

/** A module for \`node --import\` that blocks the event loop once the process listens for this signal. */
export async function blockOnSignal(signal: NodeJS.Signals): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'runwright-poison-'))
  const file = join(folder, 'block.mjs')
  await writeFile(file, `process.on('${signal}', function blockOnSignal() { for (;;) Math.random() })`)
  return file
}
