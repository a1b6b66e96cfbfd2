// The installed agents, each as a panel.
import type { Agent } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { type Fact, Facts } from '../parts/layout/facts.tsx'
import { Loading } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Code } from '../parts/values/code.tsx'
import { readable } from '../parts/values/readable.ts'
import { useSession } from '../session/session.ts'

export function AgentList() {
  const { client } = useSession()
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => client.agents.list({ signal }) })
  if (agents.error) return <Problem error={agents.error} onRetry={() => void agents.refetch()} />
  if (agents.isPending) return <Loading what="agents" />
  if (agents.data.agents.length === 0) return <NoAgents />
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      {agents.data.agents.map((agent) => (
        <AgentPanel key={agent.name} {...agent} />
      ))}
    </div>
  )
}

function NoAgents() {
  return (
    <EmptyState title="No agents are installed.">
      <p className="max-w-prose text-muted">
        Runs use the built-in worker. To install agents, put their files in a folder and set{' '}
        <code className="font-mono text-sm">RUNWRIGHT_AGENTS_DIR</code>.
      </p>
    </EmptyState>
  )
}

const judgeWords: Readonly<Record<Agent['judge'], string>> = {
  each_step: 'after each step',
  end: 'at the end',
  never: 'never: steps are judged by rule',
}

const factsOf = ({ model, tools, judge, max_turns, hash }: Agent): readonly Fact[] => [
  { name: 'Model', value: model ?? 'the model of the worker' },
  { name: 'Tools', value: <ToolNames names={tools} /> },
  { name: 'Judged', value: judgeWords[judge] ?? readable(judge) },
  { name: 'Turns', value: max_turns === null ? 'the limit of the service' : `at most ${max_turns}` },
  {
    name: 'Version',
    value: (
      <span title={hash} className="font-mono text-xs">
        {hash.slice(0, 12)}
      </span>
    ),
  },
]

function AgentPanel(agent: Agent) {
  return (
    <Panel title={agent.name}>
      <div className="flex flex-col gap-3">
        <p className="wrap-anywhere">{agent.description}</p>
        <Facts facts={factsOf(agent)} />
        {agent.output_schema !== null && (
          <details>
            <summary className="w-fit py-1 text-sm text-accent">Schema of the result</summary>
            <Code value={agent.output_schema} label={`Schema of the result of ${agent.name}`} />
          </details>
        )}
      </div>
    </Panel>
  )
}

function ToolNames({ names }: { readonly names: readonly string[] | null }) {
  if (names === null) return 'all that policy allows'
  if (names.length === 0) return 'none'
  return (
    <span className="flex flex-wrap gap-1">
      {names.map((name) => (
        <span key={name} className="rounded-sm bg-sunken px-1.5 font-mono text-code">
          {name}
        </span>
      ))}
    </span>
  )
}
