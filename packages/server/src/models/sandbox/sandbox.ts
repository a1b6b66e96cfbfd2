// The default model: it follows a script, needs no account and no network, and never pretends to think. On the hot path of
// every benchmark: without scripted pauses an answer takes microtasks only, never a timer.
import type { Role } from '@runwright/contract'
import type { Model, ModelOutcome, ModelRequest } from '../port/model.ts'
import { judgeByScript } from './judge.ts'
import { planFromScript } from './planner.ts'
import { playStep } from './worker.ts'

const parts: Record<Role, (request: ModelRequest) => Promise<ModelOutcome>> = {
  planner: planFromScript,
  worker: playStep,
  judge: judgeByScript,
}

export const sandbox: Model = {
  name: 'sandbox',
  readsPrompt: false,
  respond: (request) => parts[request.role](request),
}
