// What the types of every generator must accept, and refuse. The test compiles this file.
import type * as heyApi from '../hey-api/index.ts'
import type * as kubb from '../kubb/index.ts'
import type * as oazapfts from '../oazapfts/api.ts'
import type { components, operations } from '../openapi-typescript/schema.ts'
import type * as orval from '../orval/api.ts'
import type * as swagger from '../swagger-typescript-api/api.ts'

type OpenapiTypescript = components['schemas']

/** A value of the type must compile, one that is not of the type must not. */
const take = <T>(value: T): T => value

const create = { input: { any: 'thing' }, metadata: {} }
take<heyApi.CreateRun>(create)
take<kubb.CreateRun>(create)
take<oazapfts.CreateRun>(create)
take<OpenapiTypescript['CreateRun']>(create)
take<orval.CreateRun>(create)
take<swagger.CreateRun>(create)

// A list that may grow takes any text.
const later = 'of a later version'
take<heyApi.Tool['source']>(later)
take<kubb.Tool['source']>(later)
take<oazapfts.Tool['source']>(later)
take<OpenapiTypescript['Tool']['source']>(later)
take<orval.Tool['source']>(later)
take<swagger.Tool['source']>(later)

// A list of the specification does not.
// @ts-expect-error not a status
take<heyApi.Run['status']>('paused')
// @ts-expect-error not a status
take<kubb.Run['status']>('paused')
// @ts-expect-error not a status
take<oazapfts.Run['status']>('paused')
// @ts-expect-error not a status
take<OpenapiTypescript['Run']['status']>('paused')
// @ts-expect-error not a status
take<orval.Run['status']>('paused')
// @ts-expect-error not a status
take<swagger.Run['status']>('paused')

// A result has a text.
// @ts-expect-error no text
take<heyApi.Run['event_payload']['value']>({ content: 1, output: null })
// @ts-expect-error no text
take<kubb.Run['event_payload']['value']>({ content: 1, output: null })
// @ts-expect-error no text
take<oazapfts.Run['event_payload']['value']>({ content: 1, output: null })
// @ts-expect-error no text
take<OpenapiTypescript['Run']['event_payload']['value']>({ content: 1, output: null })
// @ts-expect-error no text
take<orval.Run['event_payload']['value']>({ content: 1, output: null })
// @ts-expect-error no text
take<swagger.Run['event_payload']['value']>({ content: 1, output: null })

// A list in a query is an array.
const statuses = ['queued' as const, 'running' as const]
take<NonNullable<heyApi.ListRunsData['query']>['status']>(statuses)
take<kubb.ListRunsQueryParams['status']>(statuses)
take<NonNullable<Parameters<typeof oazapfts.listRuns>[0]>['status']>(statuses)
take<NonNullable<operations['listRuns']['parameters']['query']>['status']>(statuses)
take<orval.ListRunsParams['status']>(statuses)
take<NonNullable<Parameters<swagger.Api<unknown>['v1']['listRuns']>[0]>['status']>(statuses)

// The type of an event tells the type of its payload, and an item of a stream is an event or an error.
export const decisionOf = (item: heyApi.EventStreamItem) =>
  'type' in item && item.type === 'run.coordination.decision' ? item.payload.value.decision_type : undefined
export const kubbDecisionOf = (item: kubb.EventStreamItem) =>
  'type' in item && item.type === 'run.coordination.decision' ? item.payload.value.decision_type : undefined
export const orvalDecisionOf = (item: orval.EventStreamItem) =>
  'type' in item && item.type === 'run.coordination.decision' ? item.payload.value.decision_type : undefined
export const customerDecisionOf = (item: OpenapiTypescript['CustomerEventStreamItem']) =>
  'type' in item && item.type === 'run.coordination.decision' ? item.payload.value.decision_type : undefined
