// @ts-check
// A JSON Schema for readers: the type in words with links to named schemas, and a table of the properties.
import { escapeHtml } from './layout.mjs'
import { renderLine } from './render-markdown.mjs'

/** @typedef {Record<string, any>} Schema */

/**
 * The type of a value as HTML.
 * @param {Schema | undefined} schema
 * @returns {string}
 */
export function typeText(schema) {
  if (schema === undefined) return 'any'
  if (schema.$ref) return link(schema.$ref)
  // A list that may grow.
  if (schema['x-extensible-enum']) return `${schema['x-extensible-enum'].map(code).join(', ')}, …`
  if (schema.enum) return schema.enum.map(code).join(', ')
  if (schema.const !== undefined) return code(schema.const)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(typeText).join(' or ')
  if (schema.type === 'array') return `array of ${typeText(schema.items)}`
  const types = [schema.type ?? 'any'].flat().join(' or ')
  return [types, schema.format && ` (${schema.format})`, bounds(schema)].filter(Boolean).join('')
}

/** @param {string} reference */
function link(reference) {
  const name = reference.split('/').at(-1) ?? ''
  return `<a href="#schema-${name}">${escapeHtml(name)}</a>`
}

/** @param {unknown} value */
const code = (value) => `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`

/** @param {Schema} schema */
function bounds({ minimum, maximum, minLength, maxLength }) {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`
  if (minimum !== undefined) return `, at least ${minimum}`
  if (maximum !== undefined) return `, at most ${maximum}`
  if (maxLength !== undefined) return `, ${minLength ?? 0} to ${maxLength} characters`
  return ''
}

/**
 * Undefined if the schema has no properties of its own.
 * @param {Schema} schema
 */
export function propertiesTable(schema) {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return undefined
  return [
    '<div class="table" tabindex="0" role="group" aria-label="Fields"><table>',
    '<thead><tr><th>field</th><th>type</th><th>always there</th><th>meaning</th></tr></thead>',
    `<tbody>${rows.join('\n')}</tbody></table></div>`,
  ].join('\n')
}

/**
 * Nested objects follow their field, with the path to it.
 * @param {Schema} schema
 * @param {string} prefix
 * @returns {string[]}
 */
function rowsOf(schema, prefix) {
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    `<tr><td><code>${escapeHtml(prefix + name)}</code></td><td>${typeText(field)}</td>` +
      `<td>${required.has(name) ? 'yes' : ''}</td><td>${renderLine(field.description ?? '')}</td></tr>`,
    ...rowsOf(
      field.type === 'array' ? (field.items ?? {}) : field,
      `${prefix}${name}${field.type === 'array' ? '[]' : ''}.`,
    ),
  ])
}
