import { configDefaults, defineConfig } from 'vitest/config'

/** Tests that kill processes or race clocks: one file at a time, with both cores to itself. */
const alone = [
  'packages/server/test/faults/**/*.test.ts',
  'packages/server/test/scenarios/{races,several-processes,stalls}.test.ts',
  'packages/server/test/conformance/{outages,rate-limits,sse-times}.test.ts',
]

const resolve = {
  alias: {
    '@runwright/contract': new URL('./packages/contract/src/index.ts', import.meta.url).pathname,
    '@runwright/client': new URL('./packages/client/src/index.ts', import.meta.url).pathname,
  },
}

interface Project {
  readonly name: string
  readonly include: string[]
  readonly exclude?: string[]
  readonly maxWorkers: number
}

const project = ({ exclude = [], ...selection }: Project, groupOrder: number) => ({
  resolve,
  test: {
    ...selection,
    exclude: [...configDefaults.exclude, ...exclude],
    sequence: { groupOrder },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The files of a worker share its modules: loading them again for each file took a fifth of the time.
    isolate: false,
  },
})

const projects: Project[] = [
  { name: 'unit', include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'], maxWorkers: 2 },
  { name: 'integration', include: ['packages/*/test/**/*.test.ts'], exclude: alone, maxWorkers: 2 },
  { name: 'alone', include: alone, maxWorkers: 1 },
]

export default defineConfig({
  // The set-up stands here, not in the projects, which would each start a server of their own.
  test: { globalSetup: ['packages/server/test/support/postgres.ts'], projects: projects.map(project) },
})
