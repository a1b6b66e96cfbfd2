// The strict mock of a provider, in a process of its own. It is written in TypeScript, for the tests, so it is bundled
// first. The wire format is the first argument. It answers each role by the beginning of its system prompt.
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))
const support = `${root}/packages/server/test/support/providers`
const bundle = `${root}/packages/server/node_modules/.cache/bench-${process.pid}`

await build({
  root,
  configFile: false,
  logLevel: 'error',
  build: {
    ssr: true,
    outDir: bundle,
    emptyOutDir: true,
    rollupOptions: {
      input: { mock: `${support}/mock-provider.ts`, script: `${support}/script.ts` },
      output: { entryFileNames: '[name].mjs' },
    },
  },
})
const { startMockProvider } = await import(`${bundle}/mock.mjs`)
const { callTools, say } = await import(`${bundle}/script.mjs`)

const verdict = say(['{"decision":"stop","reason":"done"}'])
const call = callTools([{ name: 'calculator', args: { expression: '17 * 23' } }])
const answer = say('17 times 23 is 391.')

function reply({ system, messages }) {
  if (system.startsWith('You judge the work')) return verdict
  return messages.some(({ from }) => from === 'tool') ? answer : call
}

const provider = await startMockProvider(process.argv[2], reply)

process.on('message', ({ number, what }) => {
  const answers = { calls: () => provider.requests.length, refusals: () => provider.refusals }
  process.send({ number, answer: answers[what]() })
})
const stop = async () => {
  const { rm } = await import('node:fs/promises')
  await rm(bundle, { recursive: true, force: true })
  process.exit(0)
}
process.on('disconnect', stop)
process.on('SIGTERM', stop)
console.log(JSON.stringify({ url: provider.baseUrl }))
