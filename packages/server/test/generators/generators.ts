// The generators, each as the command that a user would run, with the file it writes first.
import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Workshop {
  /** Where the generators are installed. */
  readonly installed: string
  /** Gets a folder per generator. Its `node_modules` are those of the generators. */
  readonly folder: string
  /** The OpenAPI document. */
  readonly document: string
}

export interface Generator {
  readonly name: string
  /** What the programs import, within the folder of the workshop. */
  readonly entry: string
  readonly generate: (workshop: Workshop) => Promise<unknown>
}

export async function openWorkshop(installed: string, folder: string, document: object): Promise<Workshop> {
  const path = join(folder, 'openapi.json')
  await writeFile(path, JSON.stringify(document))
  await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'))
  return { installed, folder, document: path }
}

/** A program of the packages that are installed there. Their scripts are started with this Node. */
export const runTool = async ({ installed, folder }: Workshop, script: string, args: readonly string[]) =>
  await run(process.execPath, [join(installed, 'node_modules', script), ...args], {
    cwd: folder,
    env: { ...process.env, DO_NOT_TRACK: '1', NODE_OPTIONS: `--import=${join(import.meta.dirname, 'offline.mjs')}` },
    maxBuffer: 16 * 1024 * 1024,
  })

const kubbConfig = (document: string) => `
import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

export default defineConfig({
  root: '.',
  input: { path: ${JSON.stringify(document)} },
  output: { path: './kubb', clean: true, format: false, lint: false },
  plugins: [pluginOas(), pluginTs(), pluginClient({ client: 'fetch', bundle: true })],
})
`

export const generators: readonly Generator[] = [
  {
    name: 'hey-api',
    entry: 'hey-api/index.ts',
    generate: (workshop) =>
      runTool(workshop, '@hey-api/openapi-ts/bin/run.js', [
        ...['--input', workshop.document, '--output', 'hey-api', '--client', '@hey-api/client-fetch'],
      ]),
  },
  {
    name: 'orval',
    entry: 'orval/api.ts',
    generate: (workshop) =>
      runTool(workshop, 'orval/dist/bin/orval.js', [
        ...['--input', workshop.document, '--output', 'orval/api.ts', '--client', 'fetch', '--mode', 'single'],
      ]),
  },
  {
    name: 'openapi-typescript',
    // Not a declaration file, which the compiler would not check.
    entry: 'openapi-typescript/schema.ts',
    generate: (workshop) =>
      runTool(workshop, 'openapi-typescript/bin/cli.js', [
        workshop.document,
        '--output',
        'openapi-typescript/schema.ts',
      ]),
  },
  {
    name: 'swagger-typescript-api',
    entry: 'swagger-typescript-api/api.ts',
    generate: (workshop) =>
      runTool(workshop, 'swagger-typescript-api/dist/cli.mjs', [
        ...['generate', '--path', workshop.document, '--output', 'swagger-typescript-api', '--name', 'api.ts'],
      ]),
  },
  {
    name: 'kubb',
    entry: 'kubb/index.ts',
    generate: async (workshop) => {
      await writeFile(join(workshop.folder, 'kubb.config.mjs'), kubbConfig(workshop.document))
      return runTool(workshop, '@kubb/cli/bin/kubb.cjs', ['generate', '--config', 'kubb.config.mjs'])
    },
  },
  {
    name: 'oazapfts',
    entry: 'oazapfts/api.ts',
    generate: async (workshop) => {
      await mkdir(join(workshop.folder, 'oazapfts'))
      return runTool(workshop, 'oazapfts/dist/cli.js', [workshop.document, 'oazapfts/api.ts'])
    },
  },
]
