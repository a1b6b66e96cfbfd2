// @ts-check
// The tables in the docs that are generated from code, and the marks that enclose them. The other text is not changed.
import { referenceParts, table } from './docs-reference.mjs'

/** @typedef {{ method: string, path: string, scope: string | null, summary: string, extension?: true }} Route */
/** @typedef {{ tokens: number, durationSeconds: number, signalTimeoutSeconds: number }} Limits */
/** @typedef {Readonly<Record<string, Readonly<Record<string, string | null>>>>} Transitions */
/** @typedef {import('./docs-reference.mjs').Part} Part */
/** @typedef {Parameters<typeof referenceParts>[0]} Contract */

/**
 * @param {Contract & {
 *   settings: string,
 *   metrics: string,
 *   limits: Readonly<Record<string, Limits>>,
 *   routes: Readonly<Record<string, Route>>,
 *   transitions: Transitions,
 *   namedScopes: readonly string[],
 * }} code
 * @returns {Part[]}
 */
export function generatedParts({ settings, metrics, limits, routes, transitions, namedScopes, ...contract }) {
  return [
    { file: 'docs/configuration.md', mark: 'limits', text: limitsTable(limits) },
    { file: 'docs/configuration.md', mark: 'settings', text: settings },
    { file: 'docs/metrics.md', mark: 'metrics', text: metrics },
    { file: 'docs/api.md', mark: 'routes', text: routesTable(Object.values(routes)) },
    { file: 'docs/keys.md', mark: 'scopes', text: namedScopes.map((scope) => `- \`${scope}\``).join('\n') },
    { file: 'docs/state-machine.md', mark: 'table', text: stateTable(transitions) },
    ...referenceParts(contract),
  ]
}

/**
 * The text between the marks; undefined if a mark is missing.
 * @param {string} content
 * @param {string} mark
 */
export function findPart(content, mark) {
  return partPattern(mark).exec(content)?.[2]
}

/**
 * @param {string} content
 * @param {Part} part
 */
export function withPart(content, { file, mark, text }) {
  if (findPart(content, mark) === undefined) throw new Error(`${file} has no marks <!-- ${mark}:begin --> and :end`)
  return content.replace(partPattern(mark), (_whole, begin, _old, end) => `${begin}${text}\n${end}`)
}

/** @param {string} mark */
const partPattern = (mark) => new RegExp(`(<!-- ${mark}:begin -->\\n)([\\s\\S]*?)\\n?(<!-- ${mark}:end -->)`)

/** @param {Readonly<Record<string, Limits>>} limits */
const limitsTable = (limits) =>
  table([
    ['`run_class`', 'tokens', 'time since creation', 'wait for a signal'],
    ...Object.entries(limits).map(([runClass, { tokens, durationSeconds, signalTimeoutSeconds }]) => [
      `\`${runClass}\``,
      tokens.toLocaleString('en'),
      span(durationSeconds),
      span(signalTimeoutSeconds),
    ]),
  ])

/** @param {number} seconds */
function span(seconds) {
  const minutes = seconds / 60
  if (minutes < 60) return `${minutes} min`
  return minutes <= 72 * 60 ? `${minutes / 60} h` : `${minutes / 60 / 24} d`
}

/** @param {Route[]} routes */
const routesTable = (routes) =>
  table([
    ['route', 'scope', 'description'],
    ...routes.map(({ method, path, scope, summary, extension }) => [
      `\`${method} ${path}\``,
      scope === null ? 'public' : `\`${scope}\``,
      extension ? `${summary} (extension)` : summary,
    ]),
  ])

/** @param {Transitions} transitions */
const stateTable = (transitions) => {
  const triggers = Object.keys(Object.values(transitions)[0] ?? {})
  const states = Object.keys(transitions)
  return table([
    ['trigger', ...states.map((state) => `\`${state}\``)],
    ...triggers.map((trigger) => [
      `\`${trigger}\``,
      ...states.map((state) => showTarget(transitions[state]?.[trigger])),
    ]),
  ])
}

/** @param {string | null | undefined} target */
const showTarget = (target) => (target === 'same' ? 'stays' : (target ?? '–'))
