// @ts-check
// The reference pages of the docs: errors, events and reason codes, as tables and sections of Markdown.

/** @typedef {Record<string, any>} Schema */
/** @typedef {{ status: number, when: string, remedy: string }} Reason */
/** @typedef {{ advice: string, actions: readonly string[] }} Advice */
/** @typedef {{ file: string, mark: string, text: string }} Part */

/**
 * @param {{
 *   reasons: Readonly<Record<string, Reason>>,
 *   errorClasses: Readonly<Record<number, string>>,
 *   eventReasons: Readonly<Record<string, string>>,
 *   eventAdvice: Readonly<Record<string, Advice>>,
 *   limitAdvice: Readonly<Record<string, Advice & { sentence: string }>>,
 *   eventTypes: readonly string[],
 *   openApiDocument(): Schema,
 * }} contract
 * @returns {Part[]}
 */
export function referenceParts(contract) {
  const { reasons, errorClasses, eventReasons, eventAdvice, limitAdvice, eventTypes } = contract
  const { schemas } = contract.openApiDocument().components
  return [
    { file: 'docs/errors.md', mark: 'errors', text: errorSections(reasons, errorClasses) },
    { file: 'docs/events.md', mark: 'events', text: eventSections(eventTypes, schemas) },
    { file: 'docs/reasons.md', mark: 'ends', text: endSections(eventReasons, eventAdvice) },
    { file: 'docs/reasons.md', mark: 'limits', text: limitSections(limitAdvice) },
    { file: 'docs/reasons.md', mark: 'others', text: othersTable(eventReasons, eventAdvice) },
  ]
}

/** @param {string[][]} rows the first one is the header */
export const table = ([head = [], ...rows]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** @param {string} text */
const code = (text) => `\`${text}\``

/**
 * @param {Readonly<Record<string, Reason>>} reasons
 * @param {Readonly<Record<number, string>>} errorClasses
 */
const errorSections = (reasons, errorClasses) =>
  Object.entries(errorClasses)
    .flatMap(([status, errorClass]) => [
      `## ${status} ${code(errorClass)}`,
      ...Object.entries(reasons)
        .filter(([, reason]) => String(reason.status) === status)
        .map(([reasonCode, { when, remedy }]) =>
          entry(reasonCode, [`**When:** ${when}.`, `**What to do:** ${remedy}`]),
        ),
    ])
    .join('\n\n')

/**
 * A code with a heading of its own, so that a link can lead to it.
 * @param {string} name
 * @param {string[]} paragraphs
 */
const entry = (name, paragraphs) => [`### ${code(name)}`, ...paragraphs.map(wrapped)].join('\n\n')

/**
 * @param {Readonly<Record<string, string>>} sentences
 * @param {Readonly<Record<string, Advice>>} advices
 */
const endSections = (sentences, advices) =>
  Object.entries(sentences)
    .flatMap(([reasonCode, sentence]) => {
      const { advice, actions } = advices[reasonCode] ?? { advice: '', actions: [] }
      return advice === '' ? [] : [entry(reasonCode, adviceParagraphs({ sentence, advice, actions }))]
    })
    .join('\n\n')

/** @param {Advice & { sentence: string }} advice */
const adviceParagraphs = ({ sentence, advice, actions }) => [
  sentence,
  `**What to do:** ${advice}`,
  ...(actions.length > 0 ? [`The console offers: ${actions.join(', ')}.`] : []),
]

/** @param {Readonly<Record<string, Advice & { sentence: string }>>} limits */
const limitSections = (limits) =>
  Object.entries(limits)
    .map(([type, advice]) => entry(type, adviceParagraphs(advice)))
    .join('\n\n')

/**
 * @param {Readonly<Record<string, string>>} sentences
 * @param {Readonly<Record<string, Advice>>} advices
 */
const othersTable = (sentences, advices) =>
  table([
    ['`reason_code`', 'meaning'],
    ...Object.entries(sentences).flatMap(([reasonCode, sentence]) =>
      advices[reasonCode]?.advice === '' ? [[code(reasonCode), sentence]] : [],
    ),
  ])

/**
 * @param {readonly string[]} types
 * @param {Readonly<Record<string, Schema>>} schemas
 */
const eventSections = (types, schemas) => types.map((type) => eventSection(type, schemas)).join('\n\n')

/**
 * @param {string} type
 * @param {Readonly<Record<string, Schema>>} schemas
 */
function eventSection(type, schemas) {
  const event = schemas[nameOf(schemas.Event?.discriminator.mapping[type])] ?? {}
  const payload = schemas[nameOf(event.properties.payload.properties.value.$ref)] ?? {}
  const [example] = event.examples
  return [
    `## ${code(type)}`,
    wrapped(event.description),
    table([['field', 'type', 'always there', 'meaning'], ...fieldRows(payload, '')]),
    ['```json', JSON.stringify(example), '```'].join('\n'),
  ].join('\n\n')
}

/** @param {string} reference */
const nameOf = (reference) => reference.split('/').at(-1) ?? ''

/**
 * The fields of a nested object follow it, with the path to them.
 * @param {Schema} schema
 * @param {string} prefix
 * @returns {string[][]}
 */
function fieldRows({ properties = {}, required = [] }, prefix) {
  return Object.entries(properties).flatMap(([name, field]) => [
    [code(prefix + name), typeText(field), required.includes(name) ? 'yes' : '', field.description ?? ''],
    ...fieldRows(field, `${prefix}${name}.`),
  ])
}

/** Schemas that have a page of their own. @type {Readonly<Record<string, string>>} */
const linked = { EventReason: '[reason code](reasons.md)' }

/**
 * @param {Schema} schema
 * @returns {string}
 */
function typeText(schema) {
  if (schema.$ref) return linked[nameOf(schema.$ref)] ?? nameOf(schema.$ref)
  // A list that may grow.
  if (schema['x-extensible-enum']) return `${schema['x-extensible-enum'].map(code).join(', ')}, …`
  if (schema.allOf) return schema.allOf.map(typeText).join(' and ')
  if (schema.enum) return schema.enum.map(code).join(', ')
  if (schema.const !== undefined) return code(schema.const)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map(typeText).join(' or ')
  if (schema.type === 'array') return `array of ${typeText(schema.items)}`
  return [schema.type].flat().join(' or ')
}

/**
 * Lines of at most 120 characters.
 * @param {string} text
 */
const wrapped = (text) => text.replace(/(.{1,120})(?: |$)/g, '$1\n').trimEnd()
