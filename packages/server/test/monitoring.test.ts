// The alerts and the dashboard of deploy/monitoring ask only for what the service measures, and for all of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { allMetrics, type MetricDefinition } from '../src/telemetry/metric-table.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

interface Panel {
  readonly id: number
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}

const rules: Rule[] = parse(read('deploy/monitoring/runwright-alerts.yaml')).groups[0].rules
const { panels }: { panels: Panel[] } = JSON.parse(read('deploy/monitoring/runwright-dashboard.json'))
const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
const expressions = [...rules.map(({ expr }) => expr), ...shown]

/** The names under which Prometheus stores a metric. */
const storedNames = ({ name, type }: MetricDefinition): string[] =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name]
const known = new Map(allMetrics.flatMap((metric) => storedNames(metric).map((name) => [name, metric] as const)))
const namesIn = (expr: string): string[] => expr.match(/\b(?:runwright|process)_[a-z_]+/g) ?? []

test('every metric that they name exists', () => {
  const named = expressions.flatMap(namesIn)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((name) => !known.has(name))).toEqual([])
})

test('every label that they group by, select or show is one of the metrics', () => {
  const ofPrometheus = ['le', 'instance', 'job']
  const wrong = expressions.filter((expr) => {
    const labels = namesIn(expr).flatMap((name) => known.get(name)?.labels ?? [])
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */))
    const selected = [...expr.matchAll(/[{,](\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label)
    return [...grouped, ...selected].some((label) => ![...labels, ...ofPrometheus].includes(label))
  })
  expect(wrong).toEqual([])
})

test('a counter is never shown as it is, and a gauge never as a rate', () => {
  for (const expr of expressions) {
    for (const name of namesIn(expr)) {
      const isRate = new RegExp(`(?:rate|increase)\\(${name}\\b`).test(expr)
      expect(isRate, expr).toBe(known.get(name)?.type !== 'gauge')
    }
  }
})

test('the dashboard shows every metric', () => {
  const all = shown.join('\n')
  expect(allMetrics.filter(({ name }) => !all.includes(name)).map(({ name }) => name)).toEqual([])
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

describe('the alerts', () => {
  test('each have a severity and a sentence', () => {
    expect(rules).not.toEqual([])
    for (const { labels, annotations } of rules) {
      expect(['warning', 'critical']).toContain(labels.severity)
      expect(annotations.summary).toMatch(/\.$/)
    }
  })

  test('are explained in docs/logs.md', () => {
    const page = read('docs/logs.md')
    expect(rules.filter(({ alert }) => !page.includes(`| \`${alert}\` |`))).toEqual([])
  })
})
