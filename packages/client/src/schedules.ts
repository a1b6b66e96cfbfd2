// Schedules: cron expressions that create runs. Reading requires the scope `runs:read`, the rest `runs:write`.

import { pagesOf } from './pages.ts'
import type { CreateRunRequest } from './runs.ts'
import { type CallOptions, pathSegment, type RepeatableCallOptions, type Transport } from './transport.ts'
import type {
  CreateSchedule,
  DeletedSchedule,
  ListedSchedule,
  ScheduleList,
  ScheduleResult,
  SchedulesQuery,
  UpdateSchedule,
} from './wire.ts'

export interface CreateScheduleRequest extends Omit<CreateSchedule, 'run'> {
  /** What `runs.create` takes. */
  readonly run: CreateRunRequest
}

export interface UpdateScheduleRequest extends Omit<UpdateSchedule, 'run'> {
  /** Replaces the whole request. */
  readonly run?: CreateRunRequest | undefined
}

const bodyOf = ({ run, ...request }: UpdateScheduleRequest) => ({
  ...request,
  ...(run && { run: { ...run, metadata: run.metadata ?? {} } }),
})

const pathOf = (id: string): string => `/v1/schedules/${pathSegment(id)}`

export class Schedules {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  create(request: CreateScheduleRequest, options: RepeatableCallOptions = {}): Promise<ScheduleResult> {
    return this.#transport.post({ ...options, path: '/v1/schedules', body: bodyOf(request) })
  }

  /** Newest first, without `run`. */
  list(query: SchedulesQuery = {}, options: CallOptions = {}): Promise<ScheduleList> {
    return this.#transport.call({ ...options, path: '/v1/schedules', query })
  }

  /** Yields all schedules, over all pages. */
  async *all(options: CallOptions = {}): AsyncGenerator<ListedSchedule, void, undefined> {
    for await (const page of pagesOf((cursor) => this.list({ limit: 200, cursor }, options))) yield* page.schedules
  }

  async get(id: string, options: CallOptions = {}): Promise<ScheduleResult> {
    return this.#transport.call({ ...options, path: pathOf(id) })
  }

  /** Changes the fields that are given. `{ paused: true }` pauses the schedule, `{ paused: false }` resumes it. */
  async update(id: string, request: UpdateScheduleRequest, options: CallOptions = {}): Promise<ScheduleResult> {
    return this.#transport.call({ ...options, method: 'PATCH', path: pathOf(id), body: bodyOf(request) })
  }

  async delete(id: string, options: CallOptions = {}): Promise<DeletedSchedule> {
    return this.#transport.call({ ...options, method: 'DELETE', path: pathOf(id) })
  }
}
