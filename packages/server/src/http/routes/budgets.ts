// The routes below /v1/budgets: token limits for the caller's customer, its workspaces and its subjects.
import {
  type BudgetLevel,
  budgetLabelSchema,
  budgetLevels,
  describeIssue,
  type PutBudget,
  putBudgetSchema,
  type Budget as WireBudget,
} from '@runwright/contract'
import { z } from 'zod'
import { type Actor, actorOf } from '../../domain/actor.ts'
import { parseStrictJson, smallSize } from '../../domain/json/strict-json.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Database } from '../../store/postgres/database.ts'
import {
  type Budget,
  type BudgetOwner,
  type BudgetPosition,
  deleteBudget,
  findBudget,
  listBudgets,
  putBudget,
} from '../../store/usage/budgets.ts'
import { badCursor, readListPage } from '../answers/list-page.ts'
import type { Call, HandledRoute, Handlers } from '../server/response/handler.ts'

type BudgetCall = Pick<Call<HandledRoute>, 'principal' | 'id' | 'body' | 'requestId'>
type BudgetHandlers = Pick<Handlers, Extract<HandledRoute, `${string}Budget` | 'listBudgets'>>

export const maxBudgets = 10_000

interface Dependencies {
  readonly database: Database
  /** For the list. */
  readonly reads: Database
  /** Called before the response is sent, so that this process enforces the change at once. */
  readonly onChanged: () => void
}

export function budgetHandlers({ database, reads, onChanged }: Dependencies): BudgetHandlers {
  const get = (level: BudgetLevel) => async (call: BudgetCall) =>
    resultOf(await getBudget(database, ownerIn(level, call)), call)
  const put = (level: BudgetLevel) => async (call: BudgetCall) => {
    const owner = ownerIn(level, call)
    const budget = await setBudget(database, owner, { ...readBody(call.body), by: actorOf(call.principal) })
    onChanged()
    return resultOf(budget, call)
  }
  const remove = (level: BudgetLevel) => async (call: BudgetCall) => {
    const owner = ownerIn(level, call)
    const isDeleted = isLabel(owner) && (await deleteBudget(database, owner, actorOf(call.principal)))
    if (!isDeleted) throw notFound(owner)
    onChanged()
    return { body: { id: budgetIdOf(owner), deleted: true, request_id: call.requestId } }
  }
  return {
    listBudgets: async ({ principal: { customerId }, query, requestId }) => {
      const { items, nextCursor } = await readListPage({
        query,
        positionOf: budgetPositionOf,
        cursorOf: budgetCursorOf,
        read: (page) => listBudgets(reads, { customerId, ...page }),
      })
      return { body: { budgets: items.map(toWireBudget), next_cursor: nextCursor, request_id: requestId } }
    },
    getCustomerBudget: get('customer'),
    putCustomerBudget: put('customer'),
    deleteCustomerBudget: remove('customer'),
    getWorkspaceBudget: get('workspace'),
    putWorkspaceBudget: put('workspace'),
    deleteWorkspaceBudget: remove('workspace'),
    getSubjectBudget: get('subject'),
    putSubjectBudget: put('subject'),
    deleteSubjectBudget: remove('subject'),
  }
}

const ownerIn = (level: BudgetLevel, { principal, id }: BudgetCall): BudgetOwner => ({
  customerId: principal.customerId,
  level,
  label: level === 'customer' ? null : id,
})

const resultOf = (budget: Budget, { requestId }: BudgetCall) => ({
  body: { budget: toWireBudget(budget), request_id: requestId },
})

async function getBudget(database: Database, owner: BudgetOwner): Promise<Budget> {
  const budget = isLabel(owner) ? await findBudget(database, owner) : undefined
  if (!budget) throw notFound(owner)
  return budget
}

const notFound = ({ level }: BudgetOwner) => new ServiceError('BUDGET_NOT_FOUND', `This ${level} has no budget.`)

async function setBudget(database: Database, owner: BudgetOwner, budget: PutBudget & { by: Actor }): Promise<Budget> {
  if (!isLabel(owner))
    throw invalid(`A ${owner.level} id must be 1 to 255 characters long and must not contain U+0000.`)
  const written = await putBudget(database, owner, { ...budget, atMost: maxBudgets })
  if (written) return written
  throw new ServiceError('LIMIT_REACHED', `A customer can have at most ${maxBudgets} budgets. Delete one first.`)
}

/** No run has an invalid label, and PostgreSQL rejects U+0000 in a query. */
const isLabel = ({ label }: BudgetOwner): boolean => label === null || budgetLabelSchema.safeParse(label).success

// A valid body has one level. Up to this depth, a nested value is reported by the name of its field.
const maxDepth = 8

function readBody(text: string | undefined): PutBudget {
  const json = parseStrictJson(text ?? '', { maxDepth, size: smallSize })
  if (!json.ok) throw invalid(json.problem)
  const parsed = putBudgetSchema.safeParse(json.value)
  if (!parsed.success) throw invalid(describeIssue({ error: parsed.error, value: json.value }))
  return parsed.data
}

const invalid = (message: string) => new ServiceError('BUDGET_PAYLOAD_INVALID', message)

/** The path below /v1/budgets/. */
const budgetIdOf = ({ level, label }: Pick<BudgetOwner, 'level' | 'label'>): string =>
  label === null ? level : `${level}s/${encodeURIComponent(label)}`

const toWireBudget = (budget: Budget): WireBudget => ({
  id: budgetIdOf(budget),
  level: budget.level,
  workspace_id: budget.level === 'workspace' ? budget.label : null,
  subject_id: budget.level === 'subject' ? budget.label : null,
  period: budget.period,
  tokens: budget.tokens,
  used: budget.used,
  remaining: Math.max(0, budget.tokens - budget.used),
  resets_at: budget.resetsAt.toISOString(),
  created_at: budget.createdAt.toISOString(),
  updated_at: budget.updatedAt.toISOString(),
})

const budgetCursorOf = ({ level, label }: Budget): string =>
  Buffer.from(JSON.stringify([level, label])).toString('base64url')

const positionSchema = z.tuple([z.enum(budgetLevels), budgetLabelSchema.nullable()])

function budgetPositionOf(cursor: string): BudgetPosition {
  try {
    const [level, label] = positionSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return { level, label }
  } catch {
    throw badCursor('BUDGETS_QUERY_PARAMS_INVALID')
  }
}
