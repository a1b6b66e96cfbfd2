// The steps before the question with their results, and the calls of tools.
import { type RunStep, visibleText } from '@runwright/contract'
import { ArgumentsTable } from '../../parts/values/arguments-table.tsx'
import { ClampedText } from '../../parts/values/clamped.tsx'
import { Markdown } from '../../parts/values/markdown.tsx'
import { plural } from '../../parts/values/plural.ts'
import { CallList } from '../../run/steps/call-list.tsx'
import { StateMark } from '../../run/steps/card-state.tsx'
import { reasonWords } from '../../run/steps/reason-words.ts'
import type { StoryCall } from '../../run/story/story.ts'

interface StepsSoFarProps {
  readonly steps: readonly RunStep[]
  readonly calls: readonly StoryCall[]
  readonly isWhole: boolean
}

const shownSteps = 5

export function StepsSoFar({ steps, calls, isWhole }: StepsSoFarProps) {
  const done = steps.filter(({ state }) => state === 'succeeded' || state === 'failed')
  const earlier = done.slice(0, -shownSteps)
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <h3 className="text-sm font-semibold">So far</h3>
      {done.length === 0 && calls.length === 0 && (
        <p className="text-sm text-muted">No step has ended and no tool was called.</p>
      )}
      {earlier.length > 0 && (
        <details className="text-sm">
          <summary className="w-fit text-accent">{plural(earlier.length, 'earlier step')}</summary>
          <StepList steps={earlier} />
        </details>
      )}
      {done.length > 0 && <StepList steps={done.slice(-shownSteps)} />}
      {calls.length > 0 && <CallList calls={calls} />}
      {!isWhole && <p className="text-sm text-muted">Earlier calls and words are on the page of the run.</p>}
    </div>
  )
}

function StepList({ steps }: { readonly steps: readonly RunStep[] }) {
  return (
    <ul aria-label="Steps so far" className="flex flex-col divide-y divide-line rounded-md border border-line">
      {steps.map((step, index) => (
        <li key={step.task_id ?? `${index} ${step.id}`} className="min-w-0">
          <StepResult step={step} />
        </li>
      ))}
    </ul>
  )
}

const firstLine = (text: string) => text.replace(/[*_#`|]/g, '').slice(0, 200)

function StepResult({ step: { id, state, content, output, error } }: { readonly step: RunStep }) {
  const hasOutput = output !== null && output !== undefined
  const text = content ?? error?.message ?? (error ? reasonWords(error.reason_code) : '')
  return (
    <details className="group">
      <summary className="flex items-center gap-3 px-3 py-1.5 text-sm">
        <span aria-hidden="true" className="text-muted group-open:rotate-90">
          ▸
        </span>
        <span className="font-medium wrap-anywhere">{visibleText(id)}</span>
        <StateMark state={state as Parameters<typeof StateMark>[0]['state']} />
        <span className="min-w-0 flex-1 truncate text-muted group-open:invisible">{visibleText(firstLine(text))}</span>
      </summary>
      <div className="flex flex-col gap-2 px-3 pb-2.5">
        <ClampedText text={text} fileName={`${id}.txt`}>
          {(shown) => <Markdown text={shown} />}
        </ClampedText>
        {hasOutput && <ArgumentsTable label={`Output of ${visibleText(id)}`} value={output} />}
      </div>
    </details>
  )
}
