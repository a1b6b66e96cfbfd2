// Evaluates a JSONPath on a document with bounded work.
//
// json-p3 can evaluate paths, but not safely: `$.input..*..*..*..*` on 60 nested objects yields 487,635 nodes and takes
// 2 s (one more `..*` takes a minute), and `[*]` on an array of 130,000 numbers overflows the stack. Here every step,
// including filters and comparisons, is charged to a budget.
import { compare, lengthOf, nothing } from './compare.ts'
import type { Condition, Operand, Query, Segment, Selector } from './syntax.ts'
import { spend, type WorkBudget } from './work-budget.ts'

/** A value in the document, linked to the object or array that contains it. */
export interface PathNode {
  readonly value: unknown
  /** The key or index in `parent`. */
  readonly part: string | number
  readonly parent: PathNode | undefined
}

type Slice = Selector & { readonly kind: 'slice' }

interface Scope {
  readonly root: PathNode
  readonly work: WorkBudget
}

/** The selected nodes in order. Throws `WorkBudgetExceeded` when `work` is used up. */
export function selectNodes(segments: readonly Segment[], document: unknown, work: WorkBudget): PathNode[] {
  const root = { value: document, part: '$', parent: undefined }
  return follow(segments, root, { root, work })
}

function follow(segments: readonly Segment[], start: PathNode, scope: Scope): PathNode[] {
  let nodes = [start]
  for (const segment of segments) {
    const found: PathNode[] = []
    for (const node of nodes) followSegment(segment, node, scope, found)
    nodes = found
  }
  return nodes
}

function followSegment(segment: Segment, start: PathNode, scope: Scope, found: PathNode[]): void {
  const pending = [start]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (const selector of segment.selectors)
      for (const selected of applySelector(selector, node, scope)) found.push(selected)
    if (segment.descendant) pushContainers(node, scope, pending)
  }
}

/** Skips scalars, which have nothing to select. Pushes in reverse, because the caller pops the last one first. */
function pushContainers(parent: PathNode, scope: Scope, pending: PathNode[]): void {
  for (const part of partsOf(parent.value, scope).toReversed()) {
    const value = memberOf(parent.value, part)
    if (isContainer(value)) pending.push({ value, part, parent })
  }
}

const membersOf = (parent: PathNode, scope: Scope): PathNode[] =>
  partsOf(parent.value, scope).map((part) => ({ value: memberOf(parent.value, part), part, parent }))

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const memberOf = (value: unknown, part: string | number) => (value as Record<string | number, unknown>)[part]

function partsOf(value: unknown, scope: Scope): readonly (string | number)[] {
  if (!isContainer(value)) return []
  const parts = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  spend(scope.work, parts.length)
  return parts
}

function applySelector(selector: Selector, node: PathNode, scope: Scope): readonly PathNode[] {
  spend(scope.work, 1)
  switch (selector.kind) {
    case 'name':
      return selectName(selector.name, node)
    case 'index':
      return selectIndex(selector.index, node)
    case 'slice':
      return selectSlice(selector, node, scope)
    case 'wildcard':
      return membersOf(node, scope)
    case 'filter':
      return membersOf(node, scope).filter((member) => holds(selector.condition, member, scope))
  }
}

const none: readonly PathNode[] = []

function selectName(name: string, parent: PathNode): readonly PathNode[] {
  const { value } = parent
  if (!isContainer(value) || Array.isArray(value) || !Object.hasOwn(value, name)) return none
  return [{ value: memberOf(value, name), part: name, parent }]
}

function selectIndex(index: number, parent: PathNode): readonly PathNode[] {
  const { value } = parent
  if (!Array.isArray(value)) return none
  const part = index < 0 ? value.length + index : index
  return part >= 0 && part < value.length ? [{ value: value[part], part, parent }] : none
}

/** Bounds and direction as in RFC 9535, 2.3.4.2.2. */
function selectSlice(slice: Slice, parent: PathNode, scope: Scope): readonly PathNode[] {
  const { value } = parent
  const { step } = slice
  if (!Array.isArray(value) || step === 0) return none
  const { length } = value
  spend(scope.work, length)
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1]
  const clamp = (index: number) => Math.min(Math.max(index < 0 ? length + index : index, low), high)
  const first = clamp(slice.start ?? (step > 0 ? 0 : length - 1))
  const last = clamp(slice.stop ?? (step > 0 ? length : -length - 1))
  const found: PathNode[] = []
  for (let part = first; step > 0 ? part < last : part > last; part += step)
    found.push({ value: value[part], part, parent })
  return found
}

function holds(condition: Condition, current: PathNode, scope: Scope): boolean {
  spend(scope.work, 1)
  switch (condition.kind) {
    case 'and':
      return holds(condition.left, current, scope) && holds(condition.right, current, scope)
    case 'or':
      return holds(condition.left, current, scope) || holds(condition.right, current, scope)
    case 'not':
      return !holds(condition.condition, current, scope)
    case 'exists':
      return runQuery(condition.query, current, scope).length > 0
    case 'compare': {
      const left = evaluate(condition.left, current, scope)
      return compare(left, condition.operator, evaluate(condition.right, current, scope), scope.work)
    }
  }
}

const runQuery = (query: Query, current: PathNode, scope: Scope): PathNode[] =>
  follow(query.segments, query.from === 'root' ? scope.root : current, scope)

function evaluate(operand: Operand, current: PathNode, scope: Scope): unknown {
  switch (operand.kind) {
    case 'literal':
      return operand.value
    case 'count':
      return runQuery(operand.query, current, scope).length
    case 'value': {
      const nodes = runQuery(operand.query, current, scope)
      return nodes.length === 1 ? nodes[0]?.value : nothing
    }
    case 'length':
      return lengthOf(evaluate(operand.of, current, scope), scope.work)
  }
}
