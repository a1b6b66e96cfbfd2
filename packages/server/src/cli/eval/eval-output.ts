// What `runwright eval` prints: a table of the cases, what failed, the totals, and the comparison.
import { type CostRow, sumOfCosts } from '@runwright/contract'
import type { Comparison } from '../../evals/report/compare.ts'
import { largestK, passHat } from '../../evals/report/pass-rate.ts'
import { type CaseReport, countsOf, type Report } from '../../evals/report/report.ts'
import { type Column, renderTable } from '../output/print-table.ts'
import { money, notIncluded } from '../prices/describe-costs.ts'

export function renderReport(report: Report): string {
  if (report.cases.length === 0) return 'No trial has ended.'
  const parts = [
    renderTable(columnsFor(report), report.cases),
    renderFailures(report),
    renderTotals(report),
    renderCosts(report),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function columnsFor({ cases, prices }: Report): readonly Column<CaseReport>[] {
  const k = largestK(cases.map(countsOf))
  return [
    { title: 'CASE', cell: ({ name }) => name },
    { title: 'TRIALS', cell: ({ trials }) => trials.length },
    { title: 'PASSED', cell: ({ passed }) => passed },
    { title: `PASS^${k}`, cell: (each) => passHat(countsOf(each), k).toFixed(2) },
    { title: 'TOKENS', cell: ({ trials }) => meanOf(trials, 'tokens').toFixed(0) },
    ...(prices ? [{ title: prices.currency, cell: meanCost }] : []),
    { title: 'TURNS', cell: ({ trials }) => meanOf(trials, 'turns').toFixed(1) },
    { title: 'SECONDS', cell: ({ trials }) => meanOf(trials, 'seconds').toFixed(1) },
  ]
}

const meanOf = (trials: CaseReport['trials'], field: 'tokens' | 'turns' | 'seconds'): number =>
  trials.reduce((sum, trial) => sum + trial[field], 0) / trials.length

type Cost = Pick<CostRow, 'cost' | 'unpriced'>

const costOf = (trials: CaseReport['trials']): Cost =>
  sumOfCosts(trials.map(({ cost = 0, tokens, unpriced = [] }) => ({ key: '', cost, tokens, unpriced })))

const meanCost = ({ trials }: CaseReport): string => {
  const { cost, unpriced } = costOf(trials)
  return money({ cost: cost / trials.length, unpriced })
}

function renderCosts({ cases, prices }: Report): string {
  if (prices === undefined) return ''
  const all = costOf(cases.flatMap(({ trials }) => trials))
  const sum = `All trials: ${money(all)} ${prices.currency}, with the prices of ${prices.date}.`
  return [sum, ...all.unpriced.map(notIncluded)].join('\n')
}

/** The first failed check of the first failed trial of each case. */
function renderFailures({ cases }: Report): string {
  const lines = cases.flatMap(({ name, trials }) => {
    const at = trials.findIndex(({ passed }) => !passed)
    return at < 0 ? [] : [`FAILED ${name}, trial ${at + 1}: ${plain(trials[at]?.problems[0] ?? '')}`]
  })
  return lines.join('\n')
}

function renderTotals({ cases, pass_hat }: Report): string {
  const trials = cases.flatMap((each) => each.trials)
  const passed = cases.filter((each) => each.passed === each.trials.length).length
  const rates = pass_hat.slice(1).map((rate, index) => `pass^${index + 2} ${rate.toFixed(3)}`)
  return [
    `${passed} of ${cases.length} cases passed, ${trials.filter((trial) => trial.passed).length} of ${trials.length} trials.`,
    [`pass@1 ${(pass_hat[0] ?? 0).toFixed(3)}`, ...rates].join('  '),
  ].join('\n')
}

export function renderComparison({ before, after, worse, better, added, removed }: Comparison): string {
  const changed = (word: string, list: Comparison['worse']) =>
    list.map((each) => `${word} ${plain(each.name)}: ${each.before.toFixed(2)} -> ${each.after.toFixed(2)}`)
  return [
    `pass@1 of the cases in both: ${before.toFixed(3)} -> ${after.toFixed(3)}`,
    ...changed('WORSE', worse),
    ...changed('BETTER', better),
    ...added.map((name) => `NEW ${plain(name)}`),
    ...removed.map((name) => `REMOVED ${plain(name)}`),
  ].join('\n')
}

/** Problems quote what models wrote: control characters must not reach the terminal. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
