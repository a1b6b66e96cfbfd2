// The panels of a run: details, usage, result, failure and plan.
import type { Plan, RunDetail, RunFailure } from '@runwright/contract'
import { Code } from '../parts/code.tsx'
import { type Fact, Facts } from '../parts/facts.tsx'
import { Instant } from '../parts/instant.tsx'
import { Panel } from '../parts/panel.tsx'
import { readableNumber, readableSeconds } from '../parts/readable.ts'

interface RunProps {
  readonly run: RunDetail
}

const limitFacts = ({ usage, limits }: RunDetail): Fact[] => {
  const used = usage ? readableNumber(usage.tokens) : 'unknown'
  return [
    { name: 'Tokens', value: limits ? `${used} of ${readableNumber(limits.tokens)}` : used },
    ...(usage
      ? [
          { name: 'Steps', value: readableNumber(usage.steps) },
          { name: 'Tool calls', value: readableNumber(usage.tool_calls) },
        ]
      : []),
    ...(limits
      ? [
          { name: 'Time limit', value: `${readableSeconds(limits.duration_seconds)} from creation` },
          { name: 'Signal wait', value: `at most ${readableSeconds(limits.signal_timeout_seconds)}` },
        ]
      : []),
  ]
}

export function RunPanel({ run }: RunProps) {
  return (
    <Panel title="Run">
      <Facts
        facts={[
          { name: 'Class', value: run.run_class },
          { name: 'Workspace', value: run.workspace_id },
          { name: 'Subject', value: run.subject_id },
          { name: 'Created', value: <Instant at={run.metadata.created_at} /> },
          { name: 'Updated', value: <Instant at={run.metadata.updated_at} /> },
          ...limitFacts(run),
        ]}
      />
    </Panel>
  )
}

export function FailurePanel({ failure }: { readonly failure: RunFailure }) {
  return (
    <section aria-label="Failure" className="rounded-lg border border-bad/40 bg-bad/8 px-4 py-3">
      <p className="font-mono text-sm font-semibold text-bad">{failure.reason_code}</p>
      {failure.message !== null && <p className="whitespace-pre-wrap wrap-anywhere">{failure.message}</p>}
      <p className="text-sm text-muted">See event {failure.seq}.</p>
    </section>
  )
}

/** `{ content, output }` after the run has succeeded. */
const resultOf = (value: unknown): { content: unknown; output: unknown } | undefined =>
  typeof value === 'object' && value !== null && 'content' in value && 'output' in value
    ? { content: value.content, output: value.output }
    : undefined

export function ResultPanel({ run: { event_payload } }: RunProps) {
  if (event_payload.value === null) return null
  const result = resultOf(event_payload.value)
  return (
    <Panel
      title="Result"
      aside={event_payload.redacted && <span className="text-sm text-muted">parts are redacted</span>}
    >
      <div className="flex flex-col gap-2">
        {typeof result?.content === 'string' && <p className="whitespace-pre-wrap wrap-anywhere">{result.content}</p>}
        {result?.output !== null && <Code label="Output" value={result ? result.output : event_payload.value} />}
      </div>
    </Panel>
  )
}

export function PlanPanel({ plan }: { readonly plan: Plan }) {
  return (
    <Panel title="Plan" aside={<span className="text-sm text-muted">{plan.steps.length} steps</span>}>
      <div className="flex flex-col gap-2">
        {plan.goal !== undefined && <p className="wrap-anywhere">{plan.goal}</p>}
        <ol className="flex list-decimal flex-col gap-1.5 pl-5 marker:text-muted">
          {plan.steps.map((step, index) => (
            <li key={step.id ?? index} className="wrap-anywhere">
              <span className="font-mono text-[0.8125rem]">{step.id}</span> <StepWords step={step} />
            </li>
          ))}
        </ol>
        <details>
          <summary className="w-fit text-sm text-muted hover:text-ink">as JSON</summary>
          <Code label="Plan" value={plan} />
        </details>
      </div>
    </Panel>
  )
}

function StepWords({ step }: { readonly step: Plan['steps'][number] }) {
  if ('instruction' in step) return <span>{step.instruction}</span>
  if ('tool' in step) return <span className="text-muted">calls {step.tool}</span>
  return (
    <span className="text-muted">waits: {step.await_input.prompt ?? step.await_input.input_kind ?? 'for input'}</span>
  )
}
