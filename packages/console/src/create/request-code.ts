// The request as code: what a program sends to create the same run.
import type { CreateRunRequest } from '@runwright/client'

export const codeLanguages = ['curl', 'TypeScript', 'Python'] as const
export type CodeLanguage = (typeof codeLanguages)[number]

const asJson = (request: CreateRunRequest): string => JSON.stringify({ metadata: {}, ...request }, undefined, 2)

/** In single quotes nothing has a meaning for a shell but the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Every shell has what makes the key of a new run; `uuidgen` is missing on many machines. */
const curl = (request: CreateRunRequest, baseUrl: string): string => `curl ${quoted(`${baseUrl}/v1/runs`)} \\
  -H "authorization: Bearer $RUNWRIGHT_API_KEY" \\
  -H "idempotency-key: $(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')" \\
  -H 'content-type: application/json' \\
  -d ${quoted(asJson(request))}
`

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)

/** RUNWRIGHT_API_KEY has the key: it is never part of the code. */
const typescript = (
  request: CreateRunRequest,
  baseUrl: string,
): string => `import { Runwright } from '@runwright/client'

const client = new Runwright({ baseUrl: ${JSON.stringify(baseUrl)} })
const run = await client.runs.create(${asJson(request)})
console.log(run.id)
`

const pythonWords: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

/** A JSON text as a Python literal: strings and numbers are the same, three words are not. */
const pythonOf = (value: unknown, indent = ''): string => {
  const deeper = `${indent}    `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((item) => `${deeper}${pythonOf(item, deeper)},\n`).join('')}${indent}]`
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    if (fields.length === 0) return '{}'
    const lines = fields.map(([name, field]) => `${deeper}${JSON.stringify(name)}: ${pythonOf(field, deeper)},\n`)
    return `{\n${lines.join('')}${indent}}`
  }
  const text = JSON.stringify(value) ?? 'null'
  return pythonWords[text] ?? text
}

const python = (request: CreateRunRequest, baseUrl: string): string => `from runwright import Runwright

with Runwright(${JSON.stringify(baseUrl)}) as client:
    run = client.create_run(${indented(pythonOf({ metadata: {}, ...request }), '    ')})
    print(run["id"])
`

const writers = { curl, TypeScript: typescript, Python: python } as const

export const codeOf = (language: CodeLanguage, request: CreateRunRequest, baseUrl: string): string =>
  writers[language](request, baseUrl.replace(/\/$/, ''))
