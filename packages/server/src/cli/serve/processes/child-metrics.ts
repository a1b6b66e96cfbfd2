// The metrics of several processes: the parent asks its children and puts their answers together.
import type { Worker as Child } from 'node:cluster'
import { type Metrics, type MetricValues, textOfAll } from '../../../telemetry/metrics.ts'
import type { FromChild, FromParent } from './child-messages.ts'

/** One that hangs must not keep Prometheus from the metrics of the others. */
const answerWithinMs = 2_000
let asked = 0

/** In the parent. `children` are those that are ready. */
export async function readChildren(children: readonly Child[]): Promise<string> {
  const answers = await Promise.all(children.map((child) => askChild(child)))
  return textOfAll(answers.flatMap((values) => (values ? [values] : [])))
}

function askChild(child: Child): Promise<MetricValues | undefined> {
  asked += 1
  const id = asked
  return new Promise((resolve) => {
    const end = (values?: MetricValues) => {
      clearTimeout(timer)
      child.off('message', hear)
      resolve(values)
    }
    const hear = (message: FromChild) => {
      if (message.kind === 'metrics' && message.id === id) end(message.values)
    }
    const timer = setTimeout(end, answerWithinMs)
    child.on('message', hear)
    child.send({ kind: 'read_metrics', id } satisfies FromParent, (error) => {
      if (error) end()
    })
  })
}

/** In a child. */
export function answerParent(metrics: Metrics): void {
  process.on('message', async (message: FromParent) => {
    if (message.kind !== 'read_metrics') return
    const values = await metrics.values()
    process.send?.({ kind: 'metrics', id: message.id, values } satisfies FromChild)
  })
}
