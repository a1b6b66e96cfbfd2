// Applies a JSONPath to a document with bounded work.
//
// json-p3 could do it, but not safely: `$.input..*..*..*..*` on 60 nested objects yields 487,635 nodes and takes 2 s (one
// more `..*` takes a minute), and `[*]` on an array of 130,000 numbers overflows the stack. Here every step is paid for
// from a budget, filters and comparisons included.
import { compare, lengthOf, nothing } from './compare.ts'
import type { Condition, Operand, Query, Segment, Selector } from './syntax.ts'
import { spend, type TagWork } from './work-budget.ts'

/** A place in the document, linked to the place that holds it. */
export interface PlacedValue {
  readonly value: unknown
  readonly part: string | number
  readonly holder: PlacedValue | undefined
}

type Slice = Selector & { readonly kind: 'slice' }

interface Scope {
  readonly root: PlacedValue
  readonly work: TagWork
}

export function selectPlaces(segments: readonly Segment[], document: unknown, work: TagWork): PlacedValue[] {
  const root = { value: document, part: '$', holder: undefined }
  return follow(segments, root, { root, work })
}

function follow(segments: readonly Segment[], start: PlacedValue, scope: Scope): PlacedValue[] {
  let places = [start]
  for (const segment of segments) {
    const found: PlacedValue[] = []
    for (const place of places) followSegment(segment, place, scope, found)
    places = found
  }
  return places
}

function followSegment(segment: Segment, start: PlacedValue, scope: Scope, found: PlacedValue[]): void {
  const open = [start]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const selector of segment.selectors)
      for (const selected of applySelector(selector, place, scope)) found.push(selected)
    if (segment.descendant) openContainers(place, scope, open)
  }
}

/** Scalars hold nothing to select, so a descent makes no places for them. Last ones first: what is opened last is next. */
function openContainers(holder: PlacedValue, scope: Scope, open: PlacedValue[]): void {
  for (const part of partsOf(holder.value, scope).toReversed()) {
    const value = memberOf(holder.value, part)
    if (isContainer(value)) open.push({ value, part, holder })
  }
}

const membersOf = (holder: PlacedValue, scope: Scope): PlacedValue[] =>
  partsOf(holder.value, scope).map((part) => ({ value: memberOf(holder.value, part), part, holder }))

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const memberOf = (value: unknown, part: string | number) => (value as Record<string | number, unknown>)[part]

function partsOf(value: unknown, scope: Scope): readonly (string | number)[] {
  if (!isContainer(value)) return []
  const parts = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  spend(scope.work, parts.length)
  return parts
}

function applySelector(selector: Selector, place: PlacedValue, scope: Scope): readonly PlacedValue[] {
  spend(scope.work, 1)
  switch (selector.kind) {
    case 'name':
      return selectName(selector.name, place)
    case 'index':
      return selectIndex(selector.index, place)
    case 'slice':
      return selectSlice(selector, place, scope)
    case 'wildcard':
      return membersOf(place, scope)
    case 'filter':
      return membersOf(place, scope).filter((member) => holds(selector.condition, member, scope))
  }
}

const none: readonly PlacedValue[] = []

function selectName(name: string, holder: PlacedValue): readonly PlacedValue[] {
  const { value } = holder
  if (!isContainer(value) || Array.isArray(value) || !Object.hasOwn(value, name)) return none
  return [{ value: memberOf(value, name), part: name, holder }]
}

function selectIndex(index: number, holder: PlacedValue): readonly PlacedValue[] {
  const { value } = holder
  if (!Array.isArray(value)) return none
  const part = index < 0 ? value.length + index : index
  return part >= 0 && part < value.length ? [{ value: value[part], part, holder }] : none
}

/** RFC 9535, 2.3.4.2.2: where a slice starts, where it stops, in which direction it runs. */
function selectSlice(slice: Slice, holder: PlacedValue, scope: Scope): readonly PlacedValue[] {
  const { value } = holder
  const { step } = slice
  if (!Array.isArray(value) || step === 0) return none
  const { length } = value
  spend(scope.work, length)
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1]
  const clamp = (index: number) => Math.min(Math.max(index < 0 ? length + index : index, low), high)
  const first = clamp(slice.start ?? (step > 0 ? 0 : length - 1))
  const last = clamp(slice.stop ?? (step > 0 ? length : -length - 1))
  const found: PlacedValue[] = []
  for (let part = first; step > 0 ? part < last : part > last; part += step)
    found.push({ value: value[part], part, holder })
  return found
}

function holds(condition: Condition, current: PlacedValue, scope: Scope): boolean {
  spend(scope.work, 1)
  switch (condition.kind) {
    case 'and':
      return holds(condition.left, current, scope) && holds(condition.right, current, scope)
    case 'or':
      return holds(condition.left, current, scope) || holds(condition.right, current, scope)
    case 'not':
      return !holds(condition.condition, current, scope)
    case 'exists':
      return ask(condition.query, current, scope).length > 0
    case 'compare': {
      const left = evaluate(condition.left, current, scope)
      return compare(left, condition.operator, evaluate(condition.right, current, scope), scope.work)
    }
  }
}

const ask = (query: Query, current: PlacedValue, scope: Scope): PlacedValue[] =>
  follow(query.segments, query.from === 'root' ? scope.root : current, scope)

function evaluate(operand: Operand, current: PlacedValue, scope: Scope): unknown {
  switch (operand.kind) {
    case 'literal':
      return operand.value
    case 'count':
      return ask(operand.query, current, scope).length
    case 'value': {
      const places = ask(operand.query, current, scope)
      return places.length === 1 ? places[0]?.value : nothing
    }
    case 'length':
      return lengthOf(evaluate(operand.of, current, scope), scope.work)
  }
}
