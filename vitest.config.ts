import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The npm package has Chromium for x64 only; elsewhere the browser tests need an installed one. */
const isInstalled = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
const hasChromium = process.arch === 'x64' || ['chromium-headless-shell', 'chromium'].some(isInstalled)
const browser = hasChromium ? [] : ['packages/server/test/browser/**']
if (!hasChromium) {
  console.error(
    `No Chromium for ${process.arch} in PATH: the browser tests are skipped. Install one: apt-get install chromium-headless-shell`,
  )
}

/** One story in the browser, and one with killed processes. The others are slow. */
const stories = [
  'packages/server/test/browser/console-run-restart.test.ts',
  'packages/server/test/faults/plan-kill.test.ts',
]

/** Texts, structure, and what the API promises. */
const conformance = ['packages/*/test/!(*.slow).test.ts', 'packages/server/test/conformance/**/!(*.slow).test.ts']

/** Tests that start and kill processes of the service. They keep the cores busy, so nothing else runs beside them. */
const faults = ['packages/server/test/faults/**/*.test.ts']

/** Tests that something happens within a fraction of a second: one file at a time. */
const alone = [
  'packages/server/test/chaos/chaos.test.ts',
  'packages/server/test/faults/processes-{fleet,pause,stop}.test.ts',
  'packages/server/test/scenarios/{cancel,fairness,plan-steps,several-processes,stalls}.test.ts',
]

/** Files that take more than a minute begin first: at the end, other workers would wait for them. */
const longest = [
  'guides/guides.test.ts',
  'browser/axe-states.test.ts',
  'generators/generators.test.ts',
  'browser/console-run-answer.test.ts',
  'pages/pages.test.ts',
  'attacks/longest-turns.test.ts',
  'browser/axe.test.ts',
  'faults/delivery.test.ts',
  'faults/turns-kill.test.ts',
  'faults/poison.test.ts',
]
const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.endsWith(`/test/${name}`))

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

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
  readonly testTimeout?: number
}

/** In a browser, one wait may take half a minute on a busy machine, and a test has several. */
const browserTimeout = 120_000

const project = ({ exclude = [], ...selection }: Project, groupOrder: number) => ({
  resolve,
  test: {
    testTimeout: 30_000,
    ...selection,
    exclude: [...configDefaults.exclude, ...exclude],
    sequence: { groupOrder },
    // A limit for what never comes, not a measure: on a busy machine one second is too short.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    // The files of a worker share its modules: loading them again for each file took a fifth of the time.
    isolate: false,
  },
})

/** `npm test` runs the quick ones, `npm run test:all` all of them. Each file belongs to one project. */
const projects: Project[] = [
  {
    name: 'quick-unit',
    include: ['packages/*/src/**/!(*.slow).test.ts', 'scripts/**/!(*.slow).test.ts'],
    maxWorkers: 3,
  },
  { name: 'quick-conformance', include: conformance, maxWorkers: 3 },
  { name: 'quick-stories', include: stories, exclude: browser, maxWorkers: 2, testTimeout: browserTimeout },
  {
    name: 'slow-unit',
    include: ['packages/*/src/**/*.slow.test.ts', 'scripts/**/*.slow.test.ts'],
    maxWorkers: 3,
  },
  {
    name: 'slow-integration',
    include: ['packages/*/test/**/*.test.ts'],
    exclude: [...conformance, ...stories, ...faults, ...alone, ...browser],
    // More than cores: about half of the time, these tests wait for the service, a timer or a browser.
    maxWorkers: 3,
    testTimeout: browserTimeout,
  },
  { name: 'slow-faults', include: faults, exclude: [...alone, ...stories], maxWorkers: 2 },
  { name: 'slow-alone', include: alone, maxWorkers: 1 },
]

export default defineConfig({
  // The set-up stands here, not in the projects, which would each start a server of their own.
  test: {
    globalSetup: ['packages/server/test/support/postgres.ts'],
    sequence: { sequencer: LongestFirst },
    projects: projects.map(project),
  },
})
