// The metrics of a process as a Prometheus registry. Counting only adds to numbers in memory; what has to be looked up
// is looked up when the metrics are read.
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type MetricDefinition, type MetricName, metricTable } from './metric-table.ts'

type Of<Type> = Type extends 'counter' ? Counter : Type extends 'gauge' ? Gauge : Histogram
type Registered = { readonly [Name in MetricName]: Of<(typeof metricTable)[Name]['type']> }

/** The metrics of one process, as it sends them to its parent. */
export type MetricValues = readonly object[]

export const contentType = Registry.PROMETHEUS_CONTENT_TYPE

export class Metrics {
  readonly #registry = new Registry()
  readonly #beforeRead: (() => void | Promise<void>)[] = []
  readonly of: Registered = register(this.#registry)

  /** Sets values that are not counted as they change. Must not reject. */
  beforeRead(setValues: () => void | Promise<void>): void {
    this.#beforeRead.push(setValues)
  }

  async text(): Promise<string> {
    await this.#refresh()
    return this.#registry.metrics()
  }

  async values(): Promise<MetricValues> {
    await this.#refresh()
    return this.#registry.getMetricsAsJSON()
  }

  async #refresh(): Promise<void> {
    await Promise.all(this.#beforeRead.map((setValues) => setValues()))
  }
}

/** The metrics of several processes as those of one. */
export const textOfAll = (values: readonly MetricValues[]): Promise<string> =>
  AggregatorRegistry.aggregate(values.map((one) => [...one])).metrics()

function register(registry: Registry): Registered {
  const entries = Object.entries<MetricDefinition>(metricTable)
  return Object.fromEntries(entries.map(([key, of]) => [key, create(of, registry)])) as unknown as Registered
}

function create({ name, type, help, labels, buckets, aggregator }: MetricDefinition, registry: Registry) {
  const options = { name, help, labelNames: [...labels], registers: [registry], ...(aggregator && { aggregator }) }
  if (type === 'counter') return new Counter(options)
  if (type === 'gauge') return new Gauge(options)
  return new Histogram({ ...options, buckets: [...(buckets ?? [])] })
}
