// The agent of a run or of a step: suggests the installed agents, and says if none has the name.
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.ts'
import { SuggestField } from './suggest-field.tsx'

interface AgentFieldProps {
  readonly label?: string
  /** What an empty field means. */
  readonly hint?: string
  readonly error?: string | undefined
  readonly value: string
  readonly onChange: (name: string) => void
}

export function AgentField({
  label = 'Agent (optional)',
  hint = 'Empty: the built-in worker.',
  error,
  value,
  onChange,
}: AgentFieldProps) {
  const { client, can } = useSession()
  const { data } = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => client.agents.list({ signal }),
    enabled: can('runs:read'),
  })
  const name = value.trim()
  const agent = data?.agents.find((one) => one.name === name)
  const isUnknown = data !== undefined && name !== '' && !agent
  return (
    <SuggestField
      label={label}
      hint={agent?.description ?? hint}
      error={error ?? (isUnknown ? 'No installed agent has this name.' : undefined)}
      suggestions={data?.agents ?? []}
      value={value}
      onChange={onChange}
    />
  )
}
