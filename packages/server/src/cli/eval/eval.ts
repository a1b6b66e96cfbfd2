// `runwright eval`: runs cases against the service in this process, and reports how many trials pass.
import { writeFile } from 'node:fs/promises'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import type { EvalCase } from '../../evals/cases/case.ts'
import { EvaluationError } from '../../evals/cases/evaluation-error.ts'
import { findFiles } from '../../evals/cases/find-files.ts'
import { readCases } from '../../evals/cases/read-cases.ts'
import { compareReports, dropsTooFar } from '../../evals/report/compare.ts'
import { toJunit } from '../../evals/report/junit.ts'
import { type Report, readReport } from '../../evals/report/report.ts'
import { openSchemaLanes } from '../../runtime/schemas/schema-lanes.ts'
import { pricesVariable } from '../../runtime/settings/client-variables.ts'
import { explain } from '../output/explain.ts'
import { readPrices } from '../prices/read-prices.ts'
import { plain, renderComparison, renderReport } from './eval-output.ts'
import type { EvalSurroundings } from './eval-run.ts'

export interface EvalOptions {
  readonly trials?: number
  readonly concurrency: number
  readonly prices?: string
  readonly json?: string
  readonly junit?: string
  readonly compare?: string
  readonly maxDrop: number
}

const exitCodes = { passed: 0, failed: 1, unusable: 2, stopped: 130 } as const

export function evalCommand(): Command {
  return new Command('eval')
    .description('run evaluation cases and report how many trials pass')
    .argument('<files...>', 'YAML files or patterns, such as "evals/**/*.yaml"')
    .option('--trials <n>', 'trials of each case, instead of those in the files', count)
    .option('--concurrency <n>', 'how many trials run at the same time', count, 2)
    .option('--prices <file>', `the prices of models, for a column of costs (default: ${pricesVariable})`)
    .option('--json <file>', 'write the report as JSON')
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--compare <file>', 'compare with an earlier JSON report, and fail only if pass@1 drops')
    .option('--max-drop <rate>', 'the drop of pass@1 that --compare allows, 0 to 1', rate, 0)
    .addHelpText('after', '\nExit codes: 0 passed, 1 failed, 2 the evaluation could not run.')
    .exitOverride((error) => {
      throw new CommanderError(error.exitCode === 0 ? 0 : exitCodes.unusable, error.code, error.message)
    })
    .action(async (files: string[], options: EvalOptions) => {
      const stop = stopOnSignal()
      const code = await runEval(files, options, {
        env: process.env,
        print: (text) => console.log(text),
        report: (text) => console.error(text),
        signal: stop,
      })
      // A service that has stopped leaves timers behind that would keep the process for half a minute.
      process.stdout.write('', () => process.exit(code))
    })
}

function count(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be an integer from 1 to 9999.')
  return Number(text)
}

function rate(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('It must be from 0 to 1.')
  return value
}

/** The first signal stops the evaluation and shows what has ended, a second one exits at once. */
function stopOnSignal(): AbortSignal {
  const controller = new AbortController()
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(exitCodes.stopped)
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller.signal
}

/** Returns the exit code. */
export async function runEval(
  args: readonly string[],
  options: EvalOptions,
  surroundings: EvalSurroundings,
): Promise<number> {
  const schemas = openSchemaLanes()
  try {
    const read = await readCases(await findFiles(args), schemas.runs)
    const cases = read.map((asked) => withTrials(asked, options.trials))
    const previous = options.compare === undefined ? undefined : await readReport(options.compare)
    const file = options.prices ?? surroundings.env[pricesVariable]
    const prices = file ? readPrices(file) : undefined
    // Loaded on demand: it brings the whole service.
    const { evaluate } = await import('./eval-run.ts')
    const report = await evaluate(cases, { concurrency: options.concurrency, prices, schemas }, surroundings)
    surroundings.print(renderReport(report))
    await writeReports(report, options)
    if (surroundings.signal.aborted) return exitCodes.stopped
    return previous ? compare(previous, report, options, surroundings) : codeOf(report)
  } catch (error) {
    surroundings.report(error instanceof EvaluationError ? plain(error.message) : explain(error))
    return exitCodes.unusable
  } finally {
    await schemas.stop()
  }
}

const withTrials = (asked: EvalCase, trials = asked.trials): EvalCase => ({ ...asked, trials })

async function writeReports(report: Report, { json, junit }: EvalOptions): Promise<void> {
  if (json !== undefined) await write(json, `${JSON.stringify(report, null, 2)}\n`)
  if (junit !== undefined) await write(junit, toJunit(report))
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw new EvaluationError(`${path} cannot be written (${error.code}).`)
  })
}

const codeOf = ({ cases }: Report): number =>
  cases.every(({ passed, trials }) => passed === trials.length) ? exitCodes.passed : exitCodes.failed

function compare(
  previous: Report,
  report: Report,
  { maxDrop }: EvalOptions,
  { print }: Pick<EvalSurroundings, 'print'>,
): number {
  const comparison = compareReports(previous, report)
  print(`\n${renderComparison(comparison)}`)
  return dropsTooFar(comparison, maxDrop) ? exitCodes.failed : exitCodes.passed
}
