// The questions of the run that people have answered.
import type { RunSignal } from '@runwright/contract'
import { AnswerRecord } from '../answer/answer-record.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { plural } from '../parts/values/plural.ts'

export function RunAnswers({ signals }: { readonly signals: readonly RunSignal[] }) {
  if (signals.length === 0) return null
  return (
    <Panel title="Answers" aside={<span className="text-sm text-muted">{plural(signals.length, 'answer')}</span>}>
      <ul className="flex flex-col divide-y divide-line">
        {signals.map((signal) => (
          <li key={signal.seq} className="py-2.5 first:pt-0 last:pb-0">
            <AnswerRecord signal={signal} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
