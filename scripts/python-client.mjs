// @ts-check
// Renders the generated part of the Python client from the OpenAPI document: the types, and one method per operation.

const head = (/** @type {string} */ what) =>
  `"""${what} Generated from the OpenAPI document by \`node scripts/write-docs.mjs\`: do not edit."""\n`

/** @typedef {Record<string, any>} Json */

/** @param {Json} document */
export function renderPythonTypes({ components }) {
  const names = Object.keys(components.schemas)
  const blocks = names.map((name) => declare(name, components.schemas[name]))
  const imports =
    'from __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypedDict, Union\n'
  return `${head('The types of the wire.')}\n${imports}\n${blocks.join('\n\n')}\n`
}

/** @param {string} name @param {Json} schema */
function declare(name, schema) {
  /** @type {string[]} */
  const inner = []
  const named = withNames(name, schema, inner)
  return [...inner, declareNamed(name, named)].join('\n\n')
}

/**
 * Python has no types of objects without a name, so the objects inside a schema get classes of their own, in front of
 * it: `event_payload` of `Run` is `RunEventPayload`. Returns the schema with references to them.
 * @param {string} name @param {Json} schema @param {string[]} classes
 * @returns {Json}
 */
function withNames(name, schema, classes) {
  const nested = (/** @type {string} */ key, /** @type {Json} */ member) => {
    const inner = withNames(key, member, classes)
    if (!isRecord(inner)) return inner
    classes.push(declareNamed(key, inner))
    const reference = { $ref: key, description: inner.description }
    return Array.isArray(inner.type)
      ? { anyOf: [reference, { type: 'null' }], description: inner.description }
      : reference
  }
  return {
    ...schema,
    ...(schema.items && { items: nested(name, schema.items) }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([key, member]) => [key, nested(name + pascal(key), member)]),
      ),
    }),
  }
}

/**
 * An object with known fields, and perhaps null. One that takes any other field, too, stays a `dict`.
 * @param {Json} schema
 */
const isRecord = ({ type, properties, additionalProperties }) =>
  [type].flat().includes('object') && properties !== undefined && !additionalProperties

/** @param {string} key */
const pascal = (key) => key.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())

/** @param {string} name @param {Json} schema */
function declareNamed(name, schema) {
  if (!isRecord(schema)) return `${name} = ${quoteRefs(typeOf(schema))}\n`
  if (withOutput.has(name)) return declareRecord(name, addOutput(schema))
  return declareRecord(name, schema)
}

/** @param {string} name @param {Json} schema */
function declareRecord(name, schema) {
  const required = new Set(schema.required ?? [])
  for (const key of filledIn[name] ?? []) required.delete(key)
  if (Object.keys(schema.properties).some((key) => keywords.has(key))) return declareByCall(name, schema, required)
  const members = Object.entries(schema.properties).map(([key, member]) => {
    const type = typeOf(member)
    const words = member.description ? `    # ${member.description.replaceAll('\n', ' ')}\n` : ''
    return `${words}    ${key}: ${required.has(key) ? type : `NotRequired[${type}]`}`
  })
  return `class ${name}(TypedDict):\n${members.join('\n') || '    pass'}\n`
}

/** The runs that the client returns with their output. */
const withOutput = new Set(['Run', 'CreatedRun', 'RunDetail'])

/** @param {Json} schema @returns {Json} */
const addOutput = ({ properties, required = [], ...schema }) => ({
  ...schema,
  properties: {
    ...properties,
    output: { description: 'The structured output. None if the run has none, or has not ended. The client adds it' },
  },
  required: [...required, 'output'],
})

/** What the client sends if it is not given. @type {Record<string, readonly string[]>} */
const filledIn = { CreateRun: ['metadata'] }

/** Names that a class cannot have as fields. */
const keywords = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/** @param {string} name @param {Json} schema @param {Set<string>} required */
function declareByCall(name, schema, required) {
  const members = Object.entries(schema.properties).map(([key, member]) => {
    const type = typeOf(member).replaceAll('"', "'")
    return `    "${key}": "${required.has(key) ? type : `NotRequired[${type}]`}",`
  })
  return `${name} = TypedDict("${name}", {\n${members.join('\n')}\n})\n`
}

/** An alias is evaluated when the module is loaded, so the names in it are quoted. @param {string} type */
const quoteRefs = (type) => type.replace(/\b([A-Z][A-Za-z]+)\b(?!\[)/g, (name) => (name === 'Any' ? name : `"${name}"`))

/** @param {Json} schema @returns {string} */
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1)
  if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`.replace('true', 'True')
  if (schema.enum) return `Literal[${schema.enum.map((/** @type {any} */ word) => JSON.stringify(word)).join(', ')}]`
  const options = schema.oneOf ?? schema.anyOf
  if (options) return `Union[${options.map(typeOf).join(', ')}]`
  if (Array.isArray(schema.type)) return `Union[${schema.type.map((type) => typeOf({ ...schema, type })).join(', ')}]`
  if (schema.type === 'array') return `list[${typeOf(schema.items ?? {})}]`
  return plain[schema.type] ?? 'Any'
}

/** @type {Record<string, string>} */
const plain = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  object: 'dict[str, Any]',
}

/** @param {Json} document */
export function renderPythonCalls(document) {
  const calls = callsOf(document)
  const parts = [false, true].map((isAsync) => {
    const name = isAsync ? 'AsyncCalls' : 'Calls'
    const methods = calls.flatMap((call) => [methodOf(call, isAsync), ...pagerOf(call, isAsync)])
    return `class ${name}:\n${sender(isAsync)}\n${methods.join('\n')}`
  })
  const imports =
    'from __future__ import annotations\n\nfrom collections.abc import AsyncIterator, Iterator\nfrom typing import Any, Literal, cast\nfrom urllib.parse import quote\n\nfrom . import types as t\n'
  return `${head('One method per operation.')}\n${imports}\n${quoteId}\n\n${parts.join('\n\n')}`
}

const quoteId = `
def quote_id(id: str) -> str:
    if id in ("", ".", ".."):
        raise ValueError(f"{id!r} is not a valid id")
    return quote(id, safe="")
`

const sender = (/** @type {boolean} */ isAsync) => `    ${isAsync ? 'async ' : ''}def _call(
        self, method: str, path: str, *, query: dict[str, Any] | None = None, body: Any = None, key: str | None = None
    ) -> Any:
        raise NotImplementedError
`

/** The operations with a JSON answer. Streams, exports and probes are not calls. @param {Json} document */
function callsOf({ paths, components }) {
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/') && !path.endsWith('/stream') && path !== '/v1/memory/export')
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation, components })),
    )
}

/** @param {Json} call */
function partsOf({ operation, components }) {
  const parameters = (operation.parameters ?? []).map((/** @type {Json} */ parameter) =>
    parameter.$ref ? components.parameters[parameter.$ref.split('/').at(-1)] : parameter,
  )
  return {
    query: parameters.filter((/** @type {Json} */ parameter) => parameter.in === 'query'),
    hasKey: parameters.some((/** @type {Json} */ parameter) => parameter.name.toLowerCase() === 'idempotency-key'),
    body: operation.requestBody?.content['application/json'].schema,
  }
}

/** @param {Json} parameter */
const queryArgument = ({ name, schema }) => `${name}: ${typeOf(schema)} | None = None`

/** @param {Json} call @param {boolean} isAsync */
function methodOf(call, isAsync) {
  const { path, method, operation } = call
  const { query, hasKey, body } = partsOf(call)
  const arguments_ = [
    ...(path.includes('{id}') ? ['id: str'] : []),
    ...(body ? [`body: t.${typeOf(body)}`] : []),
    ...(query.length > 0 || hasKey ? ['*'] : []),
    ...query.map(queryArgument),
    ...(hasKey ? ['idempotency_key: str | None = None'] : []),
  ]
  const passed = [
    `"${method.toUpperCase()}"`,
    path.includes('{id}') ? `f"${path.replace('{id}', '{quote_id(id)}')}"` : `"${path}"`,
    ...(query.length > 0
      ? [`query={${query.map((/** @type {Json} */ { name }) => `"${name}": ${name}`).join(', ')}}`]
      : []),
    ...(body ? ['body=body'] : []),
    ...(hasKey ? ['key=idempotency_key'] : []),
  ]
  const answer = answerOf(operation)
  const sent = `${isAsync ? 'await ' : ''}self._call(${passed.join(', ')})`
  return `${[
    `    ${isAsync ? 'async ' : ''}def ${snake(operation.operationId)}(${['self', ...arguments_].join(', ')}) -> ${answer}:`,
    `        """${operation.summary}."""`,
    `        return ${answer === 'Any' ? sent : `cast(${answer}, ${sent})`}`,
  ].join('\n')}\n`
}

/**
 * A list with pages also has a method that reads them all: `iter_runs` for `list_runs`.
 * @param {Json} call @param {boolean} isAsync
 */
function pagerOf(call, isAsync) {
  const { path, operation, components } = call
  const page = components.schemas[answerOf(operation).replace('t.', '')]
  const [items, list] = Object.entries(page?.properties ?? {}).find(([, { type }]) => type === 'array') ?? []
  const query = partsOf(call).query.filter((/** @type {Json} */ { name }) => name !== 'cursor')
  const isPaged =
    query.length < partsOf(call).query.length && [page?.properties.next_cursor?.type].flat().includes('null')
  if (!isPaged) return []
  const name = snake(operation.operationId)
  const own = path.includes('{id}') ? ['id'] : []
  const passed = [...own, ...query.map((/** @type {Json} */ one) => `${one.name}=${one.name}`), 'cursor=cursor']
  const arguments_ = ['self', ...own.map((one) => `${one}: str`), '*', ...query.map(queryArgument)]
  const [wait, iterator] = isAsync ? ['await ', 'AsyncIterator'] : ['', 'Iterator']
  const lines = [
    `    ${isAsync ? 'async ' : ''}def ${name.replace(/^list_/, 'iter_')}(${arguments_.join(', ')}) -> ${iterator}[t.${typeOf(list.items)}]:`,
    `        """${operation.summary}: those of all pages. \`limit\` is the size of a page."""`,
    '        cursor: str | None = None',
    '        while True:',
    `            page = ${wait}self.${name}(${passed.join(', ')})`,
    `            for item in page["${items}"]:`,
    '                yield item',
    '            cursor = page["next_cursor"]',
    '            if cursor is None:',
    '                return',
  ]
  return [`${lines.join('\n')}\n`]
}

/** @param {Json} operation */
function answerOf({ responses }) {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const schema = success?.content?.['application/json']?.schema
  return schema?.$ref ? `t.${typeOf(schema)}` : 'Any'
}

/** @param {string} name */
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
