// What the run has read before the question: the calls that returned private data or text of third parties.
import { type Tool, visibleText } from '@runwright/contract'
import { Icon } from '../../parts/controls/icon.tsx'
import { plural } from '../../parts/values/plural.ts'
import type { StoryCall } from '../../run/story/story.ts'

interface SourcesProps {
  readonly calls: readonly StoryCall[]
  readonly tools: readonly Tool[]
}

interface Source {
  readonly name: string
  readonly what: string
  readonly inputs: readonly string[]
}

/** A tool whose exposure depends on the arguments may have read anything. */
const whatOf = (tool: Tool | undefined): string | undefined => {
  if (!tool?.exposure) return 'perhaps private or untrusted text'
  const { reads_private, takes_untrusted } = tool.exposure
  return (
    [reads_private && 'private data', takes_untrusted && 'text of third parties'].filter(Boolean).join(' and ') ||
    undefined
  )
}

const shortInput = ({ input }: StoryCall) =>
  visibleText(input?.highlights.map(({ value }) => value).join(', ') || (input?.preview ?? ''))

export const sourcesOf = (calls: readonly StoryCall[], tools: readonly Tool[]): readonly Source[] => {
  const found = new Map<string, Source>()
  for (const call of calls) {
    const what = whatOf(tools.find(({ name }) => name === call.name))
    if (call.state !== 'succeeded' || what === undefined) continue
    const before = found.get(call.name)?.inputs ?? []
    found.set(call.name, { name: call.name, what, inputs: [...before, shortInput(call)] })
  }
  return [...found.values()]
}

export function Sources({ calls, tools }: SourcesProps) {
  const sources = sourcesOf(calls, tools)
  if (sources.length === 0) return null
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h3 className="text-sm font-semibold">What it has read</h3>
      <ul aria-label="Sources" className="flex flex-col gap-0.5 text-sm">
        {sources.map(({ name, what, inputs }) => (
          <li key={name} className="flex min-w-0 items-start gap-2">
            <Icon name="warning" className="mt-0.5 text-warn" />
            <span className="min-w-0 wrap-anywhere">
              <span className="font-mono text-xs">{visibleText(name)}</span>, {plural(inputs.length, 'call')}: {what}
              <span className="text-muted"> · {inputs.slice(0, 3).join(' · ').slice(0, 300)}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
