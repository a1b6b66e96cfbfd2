// The agent of the run: a field that suggests the installed agents, and says if none has the name.
import { useQuery } from '@tanstack/react-query'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { useSession } from '../session/session.ts'

interface AgentFieldProps {
  readonly value: string
  readonly onChange: (name: string) => void
}

export function AgentField({ value, onChange }: AgentFieldProps) {
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
    <Field
      label="Agent (optional)"
      hint={agent?.description ?? 'Empty: the built-in worker.'}
      error={isUnknown ? 'No installed agent has this name.' : undefined}
    >
      {(field) => (
        <>
          <input
            {...field}
            list="installed-agents"
            autoComplete="off"
            spellCheck={false}
            className={inputClass}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id="installed-agents">
            {data?.agents.map(({ name: known, description }) => (
              <option key={known} value={known}>
                {description}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
