// @ts-check
// Renders the types of the wire for the client: plain TypeScript, without zod, so that the client has no dependencies.
// The names are those that the contract exports; the descriptions of its schemas become comments.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const head = `// The types of the wire. Generated from packages/contract by \`node scripts/write-docs.mjs\`: do not edit.`

/** The client has a class `Usage`. @type {Record<string, string>} */
const renamed = { Usage: 'UsageReport' }

/** @typedef {Record<string, any>} Contract */
/** @typedef {Map<Schema | string, string>} Names by schema, or by the text of a list of words */
/** @typedef {{ _zod: { def: any }, description?: string, meta(): any }} Schema */

/**
 * @param {Contract} contract the exports of the contract
 * @param {string} folder its sources
 */
export function renderClientTypes(contract, folder) {
  const types = exportedTypes(folder)
  /** @type {Names} */
  const named = new Map(types.flatMap(({ name, schema }) => (schema ? [[contract[schema], name]] : [])))
  named.set(union(Object.values(contract.errorClasses)), 'ErrorClass')
  // A list of words is recognized by its values.
  for (const { name, words, keys } of types) {
    if (words || keys) named.set(union(words ? contract[words] : Object.keys(contract[keys ?? ''])), name)
  }
  const blocks = types.map(({ name, schema, words, keys, plain }) => {
    if (schema) return declare(name, contract[schema], named)
    if (words) return `export type ${name} = ${union(contract[words])}`
    if (keys) return `export type ${name} = ${union(Object.keys(contract[keys]))}`
    return `export type ${name} = ${plain}`
  })
  return formatted([head, ...blocks, eventPayloads(contract, named), errorClass(contract)].join('\n\n'))
}

/** As the formatter of the project writes it. @param {string} text */
function formatted(text) {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
  const args = [biome, 'format', '--stdin-file-path=packages/client/src/wire.ts']
  return execFileSync(process.execPath, args, { input: text, encoding: 'utf8' })
}

/**
 * The exported types of the contract in a readable form, in the order of its folders and files.
 * @param {string} folder
 */
function exportedTypes(folder) {
  const files = ['schemas', 'vocabulary'].flatMap((room) =>
    readdirSync(join(folder, room)).map((file) => join(room, file)),
  )
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const text = sources.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  return [...text.matchAll(/^export type (\w+) = (.+)$/gm)].flatMap(([, contractName = '', definition = '']) => {
    const name = renamed[contractName] ?? contractName
    const [schema, words, keys] = [
      /^z\.infer<typeof (\w+)>$/.exec(definition)?.[1],
      /^\(typeof (\w+)\)\[number\]$/.exec(definition)?.[1],
      /^keyof typeof (\w+)$/.exec(definition)?.[1],
    ]
    const plain = /^\w+(?: \| \w+)+$/.test(definition) ? definition : undefined
    return schema || words || keys || plain ? [{ name, schema, words, keys, plain }] : []
  })
}

/** @param {Contract} contract @param {Names} named */
function eventPayloads(contract, named) {
  const members = Object.entries(contract.eventPayloads).map(
    ([type, schema]) => `  '${type}': ${typeOf(schema, named, '  ')}`,
  )
  return [
    '/** The payload of each type of event. */',
    `export interface EventPayloads {\n${members.join('\n')}\n}`,
    'export type EventPayload<T extends EventType> = EventPayloads[T]',
  ].join('\n')
}

/** @param {Contract} contract */
const errorClass = (contract) => `export type ErrorClass = ${union(Object.values(contract.errorClasses))}`

/** @param {string} name @param {Schema} schema @param {Names} named */
function declare(name, schema, named) {
  const isObject = schema._zod.def.type === 'object'
  const others = new Map([...named].filter(([, other]) => other !== name))
  const body = typeOf(schema, others, '')
  return `${comment(schema, '')}export ${isObject ? `interface ${name} ${body}` : `type ${name} = ${body}`}`
}

/** @param {Schema} schema @param {Names} named @param {string} indent @returns {string} */
function typeOf(schema, named, indent) {
  const { def } = schema._zod
  const name = named.get(schema)
  if (name) return name
  const published = openList(schema, named) ?? publishedType(schema)
  if (published) return published
  switch (def.type) {
    case 'object':
      return objectType(def, named, indent)
    case 'optional':
    case 'default':
    case 'readonly':
      return typeOf(def.innerType, named, indent)
    case 'nullable':
      return `${typeOf(def.innerType, named, indent)} | null`
    case 'array':
      return arrayOf(typeOf(def.element, named, indent))
    case 'record':
      return `Record<string, ${typeOf(def.valueType, named, indent)}>`
    case 'union':
      return def.options.map((/** @type {Schema} */ option) => typeOf(option, named, indent)).join(' | ')
    case 'pipe':
      return typeOf(def.out, named, indent)
    case 'enum':
      return named.get(union(Object.values(def.entries))) ?? union(Object.values(def.entries))
    case 'literal':
      return union(def.values)
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'unknown':
      return def.type
    default:
      throw new Error(`the client's types do not know the schema type ${def.type}`)
  }
}

/**
 * A list that may grow: its values, which editors suggest, and any other text.
 * @param {Schema} schema @param {Names} named
 */
function openList(schema, named) {
  const words = schema.meta()?.published?.['x-extensible-enum']
  if (!words) return undefined
  const { def } = schema._zod
  const listed = union(def.type === 'enum' ? Object.values(def.entries) : words)
  return `${named.get(listed) ?? listed} | (string & {})`
}

/** Some schemas only say in what they publish what they are: numbers in a query string, objects that are not copied. */
function publishedType(/** @type {Schema} */ schema) {
  const { type, additionalProperties } = schema.meta()?.published ?? {}
  if (type === 'integer') return 'number'
  if (type === 'boolean') return 'boolean'
  return type === 'object' && additionalProperties ? 'Record<string, unknown>' : undefined
}

/** @param {any} def @param {Names} named @param {string} indent */
function objectType(def, named, indent) {
  const inner = `${indent}  `
  const members = Object.entries(def.shape).map(([key, /** @type {Schema} */ member]) => {
    const isOptional = member._zod.def.type === 'optional' || member._zod.def.type === 'default'
    const type = typeOf(member, named, inner)
    const mark = isOptional ? '?' : ''
    return `${comment(member, inner)}${inner}${key}${mark}: ${type}${isOptional && type !== 'unknown' ? ' | undefined' : ''}`
  })
  const rest = def.catchall?._zod.def.type === 'unknown' ? [`${inner}[key: string]: unknown`] : []
  return members.length + rest.length === 0
    ? 'Record<string, never>'
    : `{\n${[...members, ...rest].join('\n')}\n${indent}}`
}

/** @param {Schema} schema @param {string} indent */
function comment(schema, indent) {
  const words = schema.description ?? schema.meta()?.published?.description
  return words === undefined ? '' : `${indent}/** ${words} */\n`
}

/** @param {readonly unknown[]} values */
const union = (values) =>
  values.map((value) => (typeof value === 'string' && !/^\d+$/.test(value) ? `'${value}'` : String(value))).join(' | ')

/** @param {string} element */
const arrayOf = (element) => (/ [|&] /.test(element) && !element.startsWith('{') ? `(${element})[]` : `${element}[]`)
