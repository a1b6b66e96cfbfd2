// Parses a JSONPath (RFC 9535) into plain data. json-p3 does the parsing; its tree is converted into one that has only
// what evaluation needs. Two spellings of one path give the same tree.
import { JSONPathEnvironment, jsonpath, TokenKind } from 'json-p3'

export interface Segment {
  /** True for `..`: the selectors apply to the node and to all its descendants. */
  readonly descendant: boolean
  readonly selectors: readonly Selector[]
}

export type Selector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly start?: number; readonly stop?: number; readonly step: number }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'filter'; readonly condition: Condition }

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly condition: Condition }
  | { readonly kind: 'exists'; readonly query: Query }
  | { readonly kind: 'compare'; readonly operator: string; readonly left: Operand; readonly right: Operand }

export type Operand =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'value'; readonly query: Query }
  | { readonly kind: 'count'; readonly query: Query }
  | { readonly kind: 'length'; readonly of: Operand }

export interface Query {
  readonly from: 'root' | 'current'
  readonly segments: readonly Segment[]
}

const environment = new JSONPathEnvironment()
// Regular expressions from a client can take exponential time.
environment.functionRegister.delete('match')
environment.functionRegister.delete('search')

/** Throws json-p3's error, or a `TypeError` or `RangeError`, when the text is not a valid JSONPath. */
export const compileSegments = (path: string): readonly Segment[] => readSegments(environment.compile(path).segments)

/** Undefined when the text is not a valid JSONPath. */
export function parseSegments(path: string): readonly Segment[] | undefined {
  try {
    return compileSegments(path)
  } catch {
    return undefined
  }
}

const { NameSelector, IndexSelector, SliceSelector, WildcardSelector, FilterSelector } = jsonpath.selectors
const {
  BooleanLiteral,
  FunctionExtension,
  InfixExpression,
  LogicalExpression,
  NullLiteral,
  NumberLiteral,
  PrefixExpression,
  RelativeQuery,
  RootQuery,
  StringLiteral,
} = jsonpath.expressions
type Expression = jsonpath.expressions.FilterExpression

const readSegments = (segments: readonly jsonpath.JSONPathSegment[]): Segment[] =>
  segments.map((segment) => ({
    descendant: segment.token.kind === TokenKind.DDOT,
    selectors: segment.selectors.map(readSelector),
  }))

function readSelector(selector: jsonpath.JSONPathSelector): Selector {
  if (selector instanceof NameSelector) return { kind: 'name', name: selector.name }
  if (selector instanceof IndexSelector) return { kind: 'index', index: selector.index }
  if (selector instanceof SliceSelector) {
    const { start, stop, step = 1 } = selector
    return { kind: 'slice', ...(start === undefined ? {} : { start }), ...(stop === undefined ? {} : { stop }), step }
  }
  if (selector instanceof WildcardSelector) return { kind: 'wildcard' }
  if (selector instanceof FilterSelector) return { kind: 'filter', condition: readCondition(selector.expression) }
  throw new TypeError('unknown selector')
}

function readCondition(expression: Expression): Condition {
  if (expression instanceof LogicalExpression) return readCondition(expression.expression)
  if (expression instanceof PrefixExpression) return { kind: 'not', condition: readCondition(expression.right) }
  if (expression instanceof InfixExpression) return readInfix(expression)
  return { kind: 'exists', query: readQuery(expression) }
}

function readInfix({ operator, left, right }: jsonpath.expressions.InfixExpression): Condition {
  if (operator === '&&') return { kind: 'and', left: readCondition(left), right: readCondition(right) }
  if (operator === '||') return { kind: 'or', left: readCondition(left), right: readCondition(right) }
  return { kind: 'compare', operator, left: readOperand(left), right: readOperand(right) }
}

function readQuery(expression: Expression | undefined): Query {
  if (expression instanceof RelativeQuery) return { from: 'current', segments: readSegments(expression.path.segments) }
  if (expression instanceof RootQuery) return { from: 'root', segments: readSegments(expression.path.segments) }
  // json-p3 accepts `!length(@.a)` and `!true`, which are not well-typed by the RFC.
  throw new TypeError('a query is expected here')
}

function readOperand(expression: Expression | undefined): Operand {
  if (expression instanceof NullLiteral) return { kind: 'literal', value: null }
  if (expression instanceof BooleanLiteral || expression instanceof StringLiteral)
    return { kind: 'literal', value: expression.value }
  if (expression instanceof NumberLiteral) return readNumber(expression.value)
  if (expression instanceof FunctionExtension) return readCall(expression)
  return { kind: 'value', query: readQuery(expression) }
}

function readNumber(value: number): Operand {
  if (!Number.isFinite(value)) throw new RangeError('the number is too large')
  return { kind: 'literal', value }
}

function readCall({ name, args }: jsonpath.expressions.FunctionExtension): Operand {
  if (name === 'length') return { kind: 'length', of: readOperand(args[0]) }
  return { kind: name === 'count' ? 'count' : 'value', query: readQuery(args[0]) }
}
