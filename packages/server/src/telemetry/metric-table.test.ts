// The rules of `promtool check metrics`, and ours: few labels, and no text of clients in them.
import { expect, test } from 'vitest'
import { allMetrics } from './metric-table.ts'
import { Metrics } from './metrics.ts'

const ofType = (type: string) => allMetrics.filter((metric) => metric.type === type)
const named = (metrics: readonly { readonly name: string }[]) => metrics.map(({ name }) => name)
const notCounters = allMetrics.filter(({ type }) => type !== 'counter')

test('names are unique, in snake case and with a prefix', () => {
  expect(new Set(named(allMetrics)).size).toBe(allMetrics.length)
  expect(named(allMetrics).filter((name) => !/^(runwright|process)(_[a-z]+)+$/.test(name))).toEqual([])
})

test('counters end in _total, and nothing else does', () => {
  expect(named(ofType('counter')).filter((name) => !name.endsWith('_total'))).toEqual([])
  expect(named(notCounters).filter((name) => name.endsWith('_total'))).toEqual([])
})

test('only base units are used, and the unit comes last', () => {
  const others = /milli|micro|minute|hour|day|percent|kilo|mega|kib|mib|_ms(_|$)|_s(_|$)/
  expect(named(allMetrics).filter((name) => others.test(name))).toEqual([])
  expect(named(allMetrics).filter((name) => /_(seconds|bytes)_/.test(name.replace(/_total$/, '')))).toEqual([])
})

test('no name repeats its type, and a histogram keeps the names of its parts free', () => {
  const types = /_(counter|gauge|histogram|summary)(_|$)/
  expect(named(allMetrics).filter((name) => types.test(name) || /_(count|sum|bucket)$/.test(name))).toEqual([])
  expect(ofType('histogram').filter(({ buckets = [] }) => buckets.length < 4)).toEqual([])
})

test('labels are few, and none can name a customer, a run or a key', () => {
  const known = [
    'class',
    'state',
    'status',
    'reason',
    'kind',
    'outcome',
    'role',
    'model',
    'tool',
    'server',
    'log',
    'pool',
  ]
  const http = ['method', 'route', 'status']
  expect(allMetrics.flatMap(({ labels }) => labels).filter((label) => ![...known, ...http].includes(label))).toEqual([])
  expect(allMetrics.filter(({ labels }) => labels.length > 3)).toEqual([])
})

test('every metric says what it is in whole sentences', () => {
  expect(allMetrics.filter(({ help }) => !/^[A-Z].{15,}\.$/.test(help))).toEqual([])
})

test('Prometheus gets the help and the type of every metric', async () => {
  const text = await new Metrics().text()
  for (const { name, help, type } of allMetrics) {
    expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`)
  }
  expect(text.endsWith('\n')).toBe(true)
})
