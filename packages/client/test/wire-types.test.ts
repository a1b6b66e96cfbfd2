// The generated types are those of the contract.
import { readFileSync } from 'node:fs'
import * as contract from '@runwright/contract'
import { expect, expectTypeOf, test } from 'vitest'
import { renderClientTypes } from '../../../scripts/client-types.mjs'
import type * as wire from '../src/wire.ts'

test('src/wire.ts is what the contract gives; `node scripts/write-docs.mjs` writes it', () => {
  const sources = new URL('../../contract/src/', import.meta.url).pathname
  const written = readFileSync(new URL('../src/wire.ts', import.meta.url), 'utf8')
  expect(renderClientTypes(contract, sources)).toBe(written)
})

test('the types mean the same', () => {
  expectTypeOf<wire.CreateRun>().toEqualTypeOf<contract.CreateRun>()
  expectTypeOf<wire.Plan>().toEqualTypeOf<contract.Plan>()
  expectTypeOf<wire.Run>().toEqualTypeOf<contract.Run>()
  expectTypeOf<wire.RunDetail>().toEqualTypeOf<contract.RunDetail>()
  expectTypeOf<wire.RunList>().toEqualTypeOf<contract.RunList>()
  expectTypeOf<wire.ListRunsQuery>().toEqualTypeOf<contract.ListRunsQuery>()
  expectTypeOf<wire.Signal>().toEqualTypeOf<contract.Signal>()
  expectTypeOf<wire.SignalResult>().toEqualTypeOf<contract.SignalResult>()
  expectTypeOf<wire.Event>().toEqualTypeOf<contract.Event>()
  expectTypeOf<wire.EventPage>().toEqualTypeOf<contract.EventPage>()
  expectTypeOf<wire.ErrorBody>().toEqualTypeOf<contract.ErrorBody>()
  expectTypeOf<wire.UsageReport>().toEqualTypeOf<contract.Usage>()
  expectTypeOf<wire.UsageQuery>().toEqualTypeOf<contract.UsageQuery>()
  expectTypeOf<wire.UsageEventPage>().toEqualTypeOf<contract.UsageEventPage>()
  expectTypeOf<wire.UsageEventsQuery>().toEqualTypeOf<contract.UsageEventsQuery>()
  expectTypeOf<wire.MemoryList>().toEqualTypeOf<contract.MemoryList>()
  expectTypeOf<wire.MemoryExport>().toEqualTypeOf<contract.MemoryExport>()
  expectTypeOf<wire.MemoryListQuery>().toEqualTypeOf<contract.MemoryListQuery>()
  expectTypeOf<wire.KeyList>().toEqualTypeOf<contract.KeyList>()
  expectTypeOf<wire.KeyWithSecret>().toEqualTypeOf<contract.KeyWithSecret>()
  expectTypeOf<wire.CreateKey>().toEqualTypeOf<contract.CreateKey>()
  expectTypeOf<wire.BudgetList>().toEqualTypeOf<contract.BudgetList>()
  expectTypeOf<wire.CreateSchedule>().toEqualTypeOf<contract.CreateSchedule>()
  expectTypeOf<wire.ScheduleList>().toEqualTypeOf<contract.ScheduleList>()
  expectTypeOf<wire.Dependencies>().toEqualTypeOf<contract.Dependencies>()
})

test('the payloads of events mean the same', () => {
  expectTypeOf<wire.EventType>().toEqualTypeOf<contract.EventType>()
  type Wire = { [T in wire.EventType]: wire.EventPayload<T> }
  type Contract = { [T in contract.EventType]: contract.EventPayload<T> }
  expectTypeOf<Wire>().toEqualTypeOf<Contract>()
})
