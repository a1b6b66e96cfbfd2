// The tools that runs can call: where each comes from, what it does, and what policy says.
import type { PolicyRule, Tool } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Loading } from '../parts/layout/page.tsx'
import { WithCode } from '../parts/values/with-code.tsx'
import { useSession } from '../session/session.ts'
import { ToolDetails } from './tool-details.tsx'

export function ToolList() {
  const { client } = useSession()
  const tools = useQuery({ queryKey: ['tools'], queryFn: ({ signal }) => client.tools.list({ signal }) })
  if (tools.error) return <Problem error={tools.error} onRetry={() => void tools.refetch()} />
  if (tools.isPending) return <Loading what="tools" />
  if (tools.data.tools.length === 0) return <EmptyState title="This service has no tools." />
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {tools.data.tools.map((tool) => (
        <ToolRow key={tool.name} tool={tool} />
      ))}
    </ul>
  )
}

const sourceOf = ({ source, file, server }: Tool): string => {
  if (source === 'mcp') return `MCP server ${server}`
  if (source === 'own') return file === null ? 'own' : `own, ${file}`
  return 'built-in'
}

function ToolRow({ tool }: { readonly tool: Tool }) {
  const { can } = useSession()
  return (
    <li className="flex flex-col gap-1 px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h3 className="min-w-0 font-mono text-sm font-semibold wrap-anywhere">{tool.name}</h3>
        <PolicyMark rule={tool.policy.rule} />
        <span className="min-w-0 text-sm text-muted wrap-anywhere">{sourceOf(tool)}</span>
        {can('runs:write') && (
          <Link
            to="/tools/$toolName"
            params={{ toolName: tool.name }}
            aria-label={`Try it: ${tool.name}`}
            className="ml-auto text-sm text-accent underline"
          >
            Try it
          </Link>
        )}
      </div>
      <p className="line-clamp-3 max-w-prose wrap-anywhere">
        {tool.description ? <WithCode text={tool.description} /> : <span className="text-muted">No description.</span>}
      </p>
      <ToolDetails {...tool} />
    </li>
  )
}

const policyWords: Readonly<Record<string, { readonly word: string; readonly tone: string }>> = {
  allow: { word: 'allowed', tone: 'bg-good/12 text-good' },
  ask: { word: 'needs approval', tone: 'bg-warn/14 text-warn' },
  deny: { word: 'denied', tone: 'bg-bad/12 text-bad' },
} satisfies Record<PolicyRule, unknown>

export function PolicyMark({ rule }: { readonly rule: Tool['policy']['rule'] }) {
  const { word, tone } = policyWords[rule] ?? { word: rule, tone: 'bg-warn/14 text-warn' }
  return <span className={`rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${tone}`}>{word}</span>
}
