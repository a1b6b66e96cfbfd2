// How two values differ, by lines.
import { Panel } from '../parts/layout/panel.tsx'
import { Code } from '../parts/values/code.tsx'
import { type DiffLine, diffOf } from './text-diff.ts'

interface ValueDiffProps {
  readonly title: string
  readonly left: unknown
  readonly right: unknown
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, undefined, 2)

export function ValueDiff({ title, left, right }: ValueDiffProps) {
  const [one, other] = [textOf(left), textOf(right)]
  if (one === '' && other === '') return null
  return (
    <Panel title={title} aside={one === other ? <span className="text-sm text-muted">the same</span> : undefined}>
      {one === other ? (
        <Code value={one} label={`${title} of both runs`} />
      ) : (
        <Lines title={title} left={one} right={other} />
      )}
    </Panel>
  )
}

function Lines({ title, left, right }: { readonly title: string; readonly left: string; readonly right: string }) {
  const lines = diffOf(left, right)
  if (!lines) {
    return (
      <div className="grid gap-3 lg:grid-cols-2">
        <Code value={left} label={`${title}, left`} />
        <Code value={right} label={`${title}, right`} />
      </div>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long text must be scrollable by keyboard.
    <section aria-label={`Differences: ${title}`} tabIndex={0} className="max-h-144 overflow-auto rounded-md bg-sunken">
      <ol className="px-3 py-2 font-mono text-code">
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never move.
          <Line key={index} {...line} />
        ))}
      </ol>
    </section>
  )
}

const looks: Readonly<
  Record<DiffLine['kind'], { readonly sign: string; readonly tone: string; readonly word: string }>
> = {
  same: { sign: ' ', tone: '', word: '' },
  left: { sign: '−', tone: 'bg-bad/10', word: 'left: ' },
  right: { sign: '+', tone: 'bg-good/12', word: 'right: ' },
  gap: { sign: ' ', tone: 'text-muted', word: '' },
}

function Line({ kind, text }: DiffLine) {
  const { sign, tone, word } = looks[kind]
  return (
    <li className={`grid grid-cols-[1.5ch_1fr] whitespace-pre-wrap wrap-anywhere ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      <span>
        {word && <span className="sr-only">{word}</span>}
        {text}
      </span>
    </li>
  )
}
