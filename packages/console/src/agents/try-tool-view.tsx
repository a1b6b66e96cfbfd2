// Tries a tool: a run with one step that calls it, so that policy, approvals, limits and the audit hold as always.
import type { Tool } from '@runwright/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { JsonField } from '../create/create-fields.tsx'
import { inputOf, textsOf } from '../create/plan/tool-input.ts'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { EmptyState } from '../parts/layout/empty-state.tsx'
import { Facts } from '../parts/layout/facts.tsx'
import { Loading, Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { randomKey } from '../parts/random-key.ts'
import { MissingScope } from '../session/missing-scope.tsx'
import { useSession } from '../session/session.ts'
import { ArgumentFields } from './argument-form.tsx'
import {
  type ArgumentField,
  type ArgumentTexts,
  argumentFieldsOf,
  argumentsOf,
  jsonArgumentsOf,
} from './tool-arguments.ts'
import { describeExposure, effectWords } from './tool-details.tsx'
import { PolicyMark } from './tool-list.tsx'
import { TriedRun } from './tried-run.tsx'

const route = getRouteApi('/tools/$toolName')

export function TryToolPage() {
  const { toolName } = route.useParams()
  const { can } = useSession()
  if (can('runs:write')) return <TryTool key={toolName} name={toolName} />
  return (
    <Page title={toolName}>
      <MissingScope scope="runs:write" allows="create runs, which call tools" />
    </Page>
  )
}

function TryTool({ name }: { readonly name: string }) {
  const { client } = useSession()
  const tools = useQuery({ queryKey: ['tools'], queryFn: ({ signal }) => client.tools.list({ signal }) })
  const tool = tools.data?.tools.find((one) => one.name === name)
  if (tool) return <TryForm tool={tool} />
  return (
    <Page title={name}>
      {tools.error && <Problem error={tools.error} onRetry={() => void tools.refetch()} />}
      {tools.isPending && <Loading what="the tool" />}
      {tools.data && <EmptyState title={`No tool has the name ${name}.`} />}
      <Link to="/agents" className="text-accent underline">
        Agents and tools
      </Link>
    </Page>
  )
}

const policyConsequences: Readonly<Record<string, string>> = {
  allow: 'The policy allows it: the call is made at once.',
  ask: 'The policy asks: the run waits in the inbox, and the call is made once somebody approves it.',
  deny: 'The policy denies it: the call is not made, and the run fails.',
}

/** Whether a call may change something or send something out, so that a person should confirm it. */
export const hasConsequences = ({ effect, exposure, policy }: Tool): boolean =>
  policy.rule !== 'deny' && (effect !== 'read' || exposure === null || exposure.sends_out)

function WhatHappens({ tool }: { readonly tool: Tool }) {
  return (
    <Panel title="What happens" aside={<PolicyMark rule={tool.policy.rule} />}>
      <div className="flex flex-col gap-2">
        <p>
          This creates a run with one step that calls <span className="font-mono text-sm">{tool.name}</span> with these
          arguments. It is a real call; no model is used. {policyConsequences[tool.policy.rule] ?? ''}
        </p>
        <Facts
          facts={[
            { name: 'Policy', value: tool.policy.description },
            {
              name: 'Effect',
              value: tool.effect === null ? 'depends on the arguments' : (effectWords[tool.effect] ?? tool.effect),
            },
            { name: 'Data', value: describeExposure(tool.exposure) },
          ]}
        />
      </div>
    </Panel>
  )
}

const useTry = (name: string) => {
  const { client } = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: Record<string, unknown>) =>
      client.runs.create(
        {
          input: {},
          metadata: { title: `Try ${name}` },
          plan: { steps: [{ id: 'call', tool: name, input, max_attempts: 1 }] },
        },
        { idempotencyKey: randomKey() },
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['runs'] }),
  })
}

function TryForm({ tool }: { readonly tool: Tool }) {
  const fields = argumentFieldsOf(tool.input_schema)
  const [isJson, setJson] = useState(fields === undefined)
  const [texts, setTexts] = useState<ArgumentTexts>({})
  const [json, setText] = useState('{}')
  const [problems, setProblems] = useState<ArgumentTexts>({})
  const [isConfirmed, setConfirmed] = useState(false)
  const create = useTry(tool.name)
  const needsConsent = hasConsequences(tool)
  const showJson = (shown: readonly ArgumentField[]) => {
    setText(JSON.stringify(inputOf(shown, texts, {}), undefined, 2))
    setProblems({})
    setJson(true)
  }
  const showFields = (shown: readonly ArgumentField[]) => {
    const read = jsonArgumentsOf(json)
    if ('problems' in read) return setProblems(read.problems)
    const filled = textsOf(shown, read.value)
    if (!filled) return setProblems({ json: 'The fields cannot show these arguments.' })
    setTexts(filled)
    setProblems({})
    setJson(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = isJson || !fields ? jsonArgumentsOf(json) : argumentsOf(fields, texts)
    setProblems('problems' in read ? read.problems : {})
    if ('problems' in read) return
    setConfirmed(false)
    create.mutate(read.value)
  }
  return (
    <Page title={`Try ${tool.name}`}>
      <p className="-mt-2 line-clamp-4 max-w-prose text-muted wrap-anywhere">{tool.description}</p>
      <WhatHappens tool={tool} />
      <form onSubmit={submit} noValidate>
        <Panel
          title="Arguments"
          aside={fields && <FormSwitch isJson={isJson} onSwitch={() => (isJson ? showFields : showJson)(fields)} />}
        >
          <div className="flex flex-col gap-4">
            {isJson || !fields ? (
              <JsonField label="Arguments, as JSON" rows={8} error={problems.json} value={json} onChange={setText} />
            ) : (
              <ArgumentFields fields={fields} texts={texts} problems={problems} onTexts={setTexts} />
            )}
            {needsConsent && <Consent isGiven={isConfirmed} onChange={setConfirmed} />}
            {create.error && <Problem error={create.error} />}
            <Button
              type="submit"
              variant="primary"
              className="self-start"
              disabled={create.isPending || (needsConsent && !isConfirmed)}
            >
              Call {tool.name}
            </Button>
          </div>
        </Panel>
      </form>
      {create.data && <TriedRun key={create.data.id} id={create.data.id} />}
    </Page>
  )
}

function FormSwitch({ isJson, onSwitch }: { readonly isJson: boolean; readonly onSwitch: () => void }) {
  return (
    <button type="button" className="text-sm text-accent underline" onClick={onSwitch}>
      {isJson ? 'Enter fields instead' : 'Enter JSON instead'}
    </button>
  )
}

function Consent({ isGiven, onChange }: { readonly isGiven: boolean; readonly onChange: (isGiven: boolean) => void }) {
  return (
    <label className="flex items-start gap-2.5 rounded-md border border-warn/40 bg-warn/10 px-3 py-2">
      <input
        type="checkbox"
        className="mt-1 size-4 accent-accent"
        checked={isGiven}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>This call can change something or send something out. I want to make it.</span>
    </label>
  )
}
