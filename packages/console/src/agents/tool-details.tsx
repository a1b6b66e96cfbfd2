// What a person can open below a tool: policy in words, effect, what calls touch, and the arguments.
import type { Tool, ToolEffect, ToolExposure } from '@runwright/contract'
import { type Column, DataTable } from '../parts/layout/data-table.tsx'
import { Facts } from '../parts/layout/facts.tsx'
import { Code } from '../parts/values/code.tsx'
import { WithCode } from '../parts/values/with-code.tsx'
import { type SchemaField, schemaFields } from './schema-fields.ts'

export const effectWords: Readonly<Record<string, string>> = {
  read: 'changes nothing',
  idempotent: 'can be repeated without further effect',
  once: 'must not be repeated',
} satisfies Record<ToolEffect, string>

const exposureWords = [
  ['reads_private', 'reads private data'],
  ['takes_untrusted', 'takes in untrusted text'],
  ['sends_out', 'sends data out'],
] as const satisfies readonly (readonly [keyof ToolExposure, string])[]

const variable = 'depends on the arguments'

export function describeExposure(exposure: ToolExposure | null): string {
  if (exposure === null) return variable
  const words = exposureWords.flatMap(([name, word]) => (exposure[name] ? [word] : []))
  return words.length === 0 ? 'reads nothing private or untrusted, sends nothing out' : words.join(', ')
}

const columns: readonly [Column<SchemaField>, ...Column<SchemaField>[]] = [
  { name: 'Argument', cell: ({ name }) => <span className="font-mono text-sm wrap-anywhere">{name}</span> },
  { name: 'Type', cell: ({ type }) => <span className="text-sm wrap-anywhere">{type}</span> },
  { name: 'Required', cell: ({ isRequired }) => (isRequired ? 'yes' : 'no') },
  {
    name: 'Description',
    cell: ({ description }) => (
      <span className="text-sm wrap-anywhere">
        <WithCode text={description} />
      </span>
    ),
  },
]

/** A description that does not fit into three lines is shown whole here. */
const longDescription = 200

export function ToolDetails({ name, description, policy, effect, exposure, input_schema }: Tool) {
  const fields = schemaFields(input_schema)
  return (
    <details>
      <summary className="w-fit py-1 text-sm text-accent">
        Policy and arguments<span className="sr-only"> of {name}</span>
      </summary>
      <div className="flex flex-col gap-3 py-2">
        {description.length > longDescription && <Code value={description} label={`Description of ${name}`} />}
        <Facts
          facts={[
            { name: 'Policy', value: policy.description },
            { name: 'Effect', value: effect === null ? variable : (effectWords[effect] ?? effect) },
            { name: 'Data', value: describeExposure(exposure) },
          ]}
        />
        {fields.length === 0 ? (
          <p className="text-sm text-muted">The tool names no arguments.</p>
        ) : (
          <DataTable caption={`Arguments of ${name}`} columns={columns} rows={fields} keyOf={(field) => field.name} />
        )}
        <details>
          <summary className="w-fit py-1 text-sm text-accent">
            Schema<span className="sr-only"> of the arguments of {name}</span>
          </summary>
          <Code value={input_schema} label={`Schema of the arguments of ${name}`} />
        </details>
      </div>
    </details>
  )
}
