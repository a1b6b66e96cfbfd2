// @ts-check
// The API reference: one page from the OpenAPI document, with every operation, its parameters, bodies, responses and
// examples, and every schema. It is plain HTML: no script is needed to read it.
import { escapeHtml } from './layout.mjs'
import { anchorOf, renderCode, renderLine, renderText } from './render-markdown.mjs'
import { propertiesTable, typeText } from './schema-table.mjs'

/** @typedef {Record<string, any>} Json any part of the OpenAPI document */
/** @typedef {import('./render-markdown.mjs').Rendered} Rendered */

/**
 * @param {Json} document
 * @returns {Rendered}
 */
export function renderReference(document) {
  const page = new ReferencePage(document)
  page.heading(1, 'API reference')
  page.text(document.info.description)
  page.text('The same as a file for tools: `/openapi.json` of the running service.')
  for (const tag of document.tags) page.tag(tag)
  page.heading(2, 'Schemas')
  for (const [name, schema] of Object.entries(document.components.schemas)) page.schema(name, schema)
  return page.rendered()
}

class ReferencePage {
  /** @type {string[]} */
  #html = []
  /** @type {Rendered['headings']} */
  #headings = []
  /** @type {Rendered['sections']} */
  #sections = []
  #document

  /** @param {Json} document */
  constructor(document) {
    this.#document = document
  }

  rendered() {
    return { html: this.#html.join('\n'), headings: this.#headings, sections: this.#sections }
  }

  /** @param {number} level @param {string} title */
  heading(level, title, id = anchorOf(title)) {
    this.#headings.push({ id, title, level })
    this.#sections.push({ id, title, text: '' })
    this.#html.push(`<h${level} id="${id}">${escapeHtml(title)}</h${level}>`)
  }

  /** @param {string | undefined} markdown */
  text(markdown) {
    if (!markdown) return
    this.#html.push(renderText(markdown))
    const section = this.#sections.at(-1)
    if (section) section.text += ` ${markdown}`
  }

  /** @param {Json} tag */
  tag({ name, description }) {
    this.heading(2, name)
    this.text(`${description}.`)
    for (const [path, methods] of Object.entries(this.#document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.tags?.includes(name)) this.#operation(method, path, operation)
      }
    }
  }

  /** @param {string} name @param {Json} schema */
  schema(name, schema) {
    this.heading(3, name, `schema-${name}`)
    this.text(schema.description)
    this.#html.push(propertiesTable(schema) ?? `<p>${typeText(schema)}</p>`)
  }

  /** @param {string} method @param {string} path @param {Json} operation */
  #operation(method, path, operation) {
    this.heading(3, operation.summary, operation.operationId)
    this.#html.push(`<p class="route"><strong>${method.toUpperCase()}</strong> <code>${escapeHtml(path)}</code></p>`)
    const section = this.#sections.at(-1)
    if (section) section.text += `${method.toUpperCase()} ${path}`
    this.text(operation.description)
    this.#parameters(operation.parameters ?? [])
    this.#content('Body', operation.requestBody?.content)
    for (const [status, response] of Object.entries(operation.responses)) this.#response(status, response)
  }

  /** @param {Json[]} parameters */
  #parameters(parameters) {
    if (parameters.length === 0) return
    const rows = parameters.map((one) => {
      const { name, in: place, required, description, schema } = this.#resolve(one)
      const cells = [`<code>${escapeHtml(name)}</code>`, place, typeText(schema), required ? 'yes' : '']
      return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}<td>${renderLine(description ?? '')}</td></tr>`
    })
    this.#html.push(
      '<div class="table" tabindex="0" role="group" aria-label="Parameters"><table>',
      '<thead><tr><th>parameter</th><th>in</th><th>type</th><th>required</th><th>meaning</th></tr></thead>',
      `<tbody>${rows.join('\n')}</tbody></table></div>`,
    )
  }

  /** @param {string} status @param {Json} given */
  #response(status, given) {
    const response = this.#resolve(given)
    this.#html.push(
      `<details class="response"><summary>${status}: ${renderLine(firstLine(response.description))}</summary>`,
    )
    if (response.description.includes('\n')) this.#html.push(renderText(response.description))
    // Errors have one shape; their codes are in the description.
    if (Number(status) < 400) this.#content('Response', response.content)
    this.#html.push('</details>')
  }

  /** @param {string} what @param {Json | undefined} content */
  #content(what, content) {
    for (const [type, { schema, examples = {} }] of Object.entries(content ?? {})) {
      this.#html.push(`<p>${what}, <code>${escapeHtml(type)}</code>${schema ? `: ${typeText(schema)}` : ''}</p>`)
      for (const example of Object.values(examples)) this.#example(this.#resolve(example))
    }
  }

  /** @param {Json} example */
  #example({ summary, value }) {
    const isText = typeof value === 'string'
    const code = renderCode(isText ? value : JSON.stringify(value, null, 2), isText ? 'text' : 'json')
    this.#html.push(
      `<details class="example"><summary>Example: ${escapeHtml(summary ?? '')}</summary>${code}</details>`,
    )
  }

  /** @param {Json} part */
  #resolve(part) {
    if (part.$ref === undefined) return part
    const [, , kind = '', name = ''] = part.$ref.split('/')
    return this.#document.components[kind][name]
  }
}

/** @param {string} text */
const firstLine = (text) => (text.startsWith('- ') ? 'an error' : (text.split('\n')[0] ?? ''))
