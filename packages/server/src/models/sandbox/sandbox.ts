// The default model. It follows a script, and needs no account and no network. It is on the hot path of every
// benchmark: without scripted pauses an answer takes only microtasks, never a timer.
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
