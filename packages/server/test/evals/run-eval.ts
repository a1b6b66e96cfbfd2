// Runs `runwright eval` in this process, on the PostgreSQL of the tests, and gathers what it prints.
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EvalOptions, runEval } from '../../src/cli/eval/eval.ts'
import type { Report } from '../../src/evals/report/report.ts'
import { urlOf } from '../support/processes.ts'
import { testPostgres } from '../support/test-postgres.ts'

export interface Printed {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly onReport?: (text: string) => void
}

/** A folder for the case files of a test file. */
export class EvalFolder {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async create(): Promise<EvalFolder> {
    return new EvalFolder(await mkdtemp(join(tmpdir(), 'runwright-eval-test-')))
  }

  async write(text: string, name = `${randomUUID()}.yaml`): Promise<string> {
    await writeFile(join(this.path, name), text)
    return join(this.path, name)
  }

  /** Runs the files and returns their JSON report, too. */
  async evaluate(
    files: readonly string[],
    options: Partial<EvalOptions> = {},
    surroundings: Surroundings = {},
  ): Promise<Printed & { readonly report: Report }> {
    const json = options.json ?? join(this.path, `${randomUUID()}.json`)
    const printed = await runPrinted(files, { ...options, json }, surroundings)
    return { ...printed, report: JSON.parse(await readFile(json, 'utf8')) }
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true })
  }
}

export async function runPrinted(
  files: readonly string[],
  options: Partial<EvalOptions> = {},
  { env = {}, signal = new AbortController().signal, onReport }: Surroundings = {},
): Promise<Printed> {
  const out: string[] = []
  const err: string[] = []
  const report = (text: string) => {
    err.push(text)
    onReport?.(text)
  }
  const code = await runEval(
    files,
    { concurrency: 2, maxDrop: 0, ...options },
    { env: { DATABASE_URL: await databaseUrl(), ...env }, print: (text) => out.push(text), report, signal },
  )
  return { code, out: out.join('\n'), err: err.join('\n') }
}

export const databaseUrl = async (): Promise<string> => urlOf(await testPostgres())
