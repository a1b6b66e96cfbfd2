// @ts-check
// The picture of the states of a run, from the table of transitions. Triggers that every state allows until a run has
// ended would only tangle the arrows, so they become a sentence.

/** @typedef {Readonly<Record<string, Readonly<Record<string, string | null>>>>} Transitions */
/** @typedef {{ x: number, y: number }} Place */

const width = 170
const height = 44

/** @type {Record<string, Place>} */
const places = {
  queued: { x: 110, y: 200 },
  stalled: { x: 420, y: 60 },
  running: { x: 420, y: 200 },
  awaiting_input: { x: 420, y: 340 },
  succeeded: { x: 800, y: 60 },
  cancelled: { x: 800, y: 200 },
  failed: { x: 800, y: 340 },
}

/**
 * The way of each arrow and where its label begins. A new transition needs a line here; the script says so.
 * @type {Record<string, { path: string, label: Place, anchor?: 'middle' | 'end' }>}
 */
const arrows = {
  'queued running': { path: 'M195 200H329', label: { x: 262, y: 190 }, anchor: 'middle' },
  'running running': { path: 'M505 190h34v20h-28', label: { x: 548, y: 190 } },
  'running stalled': { path: 'M400 178V88', label: { x: 392, y: 128 }, anchor: 'end' },
  'stalled running': { path: 'M440 82V172', label: { x: 448, y: 128 } },
  'stalled queued': { path: 'M335 60H110V172', label: { x: 222, y: 50 }, anchor: 'middle' },
  'running succeeded': { path: 'M505 178L709 70', label: { x: 600, y: 116 }, anchor: 'end' },
  'running failed': { path: 'M505 218L709 328', label: { x: 622, y: 272 } },
  'running awaiting_input': { path: 'M400 222V312', label: { x: 392, y: 272 }, anchor: 'end' },
  'awaiting_input running': { path: 'M440 318V228', label: { x: 448, y: 250 } },
  'awaiting_input failed': { path: 'M505 340H709', label: { x: 607, y: 356 }, anchor: 'middle' },
  'awaiting_input cancelled': { path: 'M505 322L709 210', label: { x: 672, y: 246 } },
  'failed queued': { path: 'M800 362V420H110V228', label: { x: 455, y: 412 }, anchor: 'middle' },
}

/** @param {Transitions} transitions */
export function stateDiagram(transitions) {
  const everywhere = triggersOfAll(transitions)
  const edges = Object.entries(edgesOf(transitions, everywhere))
  const description = edges.map(([edge, triggers]) => `${edge.replace(' ', ' to ')}: ${triggers.join(', ')}`).join('; ')
  // Attributes instead of styles, which a content security policy may forbid.
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 480" role="img" aria-label="${description}" font-family="system-ui, sans-serif">
<defs><marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto"><polygon points="0,0 8,4 0,8" fill="#55616d"/></marker></defs>
<rect width="900" height="480" fill="#ffffff"/>
<g fill="none" stroke="#55616d" stroke-width="1.5" marker-end="url(#head)">
${edges.map(([edge]) => `<path d="${wayOf(edge).path}"/>`).join('\n')}
</g>
<g font-size="12" fill="#55616d" dominant-baseline="central">
${edges.flatMap(([edge, triggers]) => labels(edge, triggers)).join('\n')}
<text text-anchor="middle" x="450" y="456">Until a run has ended, ${everywhere.map(asWords).join(' and ')} are possible in every state.</text>
</g>
<g font-size="15" fill="#16202a" text-anchor="middle" dominant-baseline="central">
${Object.entries(places).map(state).join('\n')}
</g>
</svg>
`

  /** @param {[string, Place]} entry */
  function state([name, { x, y }]) {
    const isFinal = Object.values(transitions[name] ?? {}).every((to) => to === null || to === 'same')
    const box = `<rect x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="8" fill="#ffffff" stroke="#85919c" stroke-width="${isFinal ? 2.5 : 1}"/>`
    return `${box}<text x="${x}" y="${y}">${name}</text>`
  }
}

/** @param {string} trigger */
const asWords = (trigger) => ({ cancel: 'cancelling', exceed_limit: 'exceeding a limit' })[trigger] ?? trigger

/**
 * The triggers that all states with any way out allow, besides a retry.
 * @param {Transitions} transitions
 */
function triggersOfAll(transitions) {
  const open = Object.entries(transitions).filter(([state]) => !['succeeded', 'failed', 'cancelled'].includes(state))
  const triggers = Object.keys(open[0]?.[1] ?? {})
  return triggers.filter((trigger) => open.every(([, row]) => row[trigger] !== null && row[trigger] !== 'same'))
}

/**
 * The triggers of each arrow, by `from to`.
 * @param {Transitions} transitions
 * @param {string[]} everywhere
 */
function edgesOf(transitions, everywhere) {
  /** @type {Record<string, string[]>} */
  const edges = {}
  for (const [from, row] of Object.entries(transitions)) {
    for (const [trigger, to] of Object.entries(row)) {
      if (to === null || to === 'same' || everywhere.includes(trigger)) continue
      const edge = `${from} ${to}`
      edges[edge] = [...(edges[edge] ?? []), trigger]
    }
  }
  return edges
}

/** @param {string} edge */
function wayOf(edge) {
  const way = arrows[edge]
  if (!way) throw new Error(`scripts/state-diagram.mjs needs a way for the arrow "${edge}"`)
  return way
}

/** @param {string} edge @param {string[]} triggers */
function labels(edge, triggers) {
  const { label, anchor = 'start' } = wayOf(edge)
  return triggers.map(
    (trigger, line) => `<text text-anchor="${anchor}" x="${label.x}" y="${label.y + 15 * line}">${trigger}</text>`,
  )
}
