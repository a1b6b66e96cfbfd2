// When a move is refused. Moves themselves are tested in test/scenarios/cells.test.ts and
// test/faults/cells-kill.test.ts.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addCustomer, addKey } from '../../test/support/access.ts'
import { rowsOfCustomer, seedCustomer } from '../../test/support/customer-rows.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { withMoveLock } from '../store/cells/move-lock.ts'
import { expectCustomer, findMoveState, type Move, setMoveState } from '../store/cells/move-state.ts'
import { SealingKeys } from '../store/sealed/sealing-keys.ts'
import { findCellOf } from './find-cell.ts'
import { abortMove, moveCustomer } from './move-customer.ts'
import { MoveRefused } from './move-refused.ts'

const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
let fresh: FreshDatabase[]
let cells: Awaited<ReturnType<typeof open>>[]
beforeAll(async () => {
  fresh = [await freshDatabase(), await freshDatabase(), await freshDatabase()]
  const peppers = [secrets.keyPepper, secrets.keyPepper, randomBytes(32)]
  cells = await Promise.all(fresh.map((one, index) => open('abc'[index] ?? '', one, peppers[index] as Buffer)))
})
beforeEach(async () => {
  for (const { database } of cells) {
    const tables = Object.keys(await rowsOfCustomer(database, 'acme'))
    await database.run({ text: `truncate customers, ${tables.join(', ')}` })
  }
})
afterAll(() => Promise.all(fresh.map(({ drop }) => drop())))

async function open(name: string, { database }: FreshDatabase, keyPepper: Buffer) {
  const sealing = new SealingKeys(database, { ...secrets, keyPepper })
  await sealing.open()
  return { name, database, sealing }
}

type Cell = (typeof cells)[number]
const cell = (name: string): Cell => cells.find((one) => one.name === name) as Cell
const move = (from: string, to: string) =>
  moveCustomer({ customerId: 'acme', source: cell(from), target: cell(to), report: () => undefined })
const abort = (from: string, to: string) => abortMove({ customerId: 'acme', source: cell(from), target: cell(to) })
const put = (name: string, to: Move, other: string) =>
  addCustomer(cell(name).database, 'acme').then(() =>
    setMoveState(cell(name).database, 'acme', { move: to, cell: other }),
  )

test('a customer of the same id in the other cell stays as it is', async () => {
  for (const name of ['a', 'b']) await addCustomer(cell(name).database, 'acme')
  await expect(move('a', 'b')).rejects.toThrow('The cell b has another customer acme.')
  await expect(findCellOf('acme', cells, cell('c'))).rejects.toThrow('The cells a and b each have a customer acme.')
})

test('a customer that another cell is sending is not replaced', async () => {
  await addCustomer(cell('a').database, 'acme')
  await expectCustomer(cell('b').database, 'acme', 'c')
  await expect(move('a', 'b')).rejects.toThrow('The cell b has another customer acme.')
})

test('a customer that is being moved elsewhere, or is not there, is refused', async () => {
  await put('a', 'copying', 'c')
  await expect(move('a', 'b')).rejects.toThrow('acme is being moved to c.')
  await expect(abort('a', 'b')).rejects.toThrow('acme is not being moved to b.')
  await put('a', 'gone', 'b')
  await expect(move('a', 'b')).rejects.toThrow('The cell a has no customer acme.')
})

test('cells that hash requests differently are refused', async () => {
  await addCustomer(cell('a').database, 'acme')
  await expect(move('a', 'c')).rejects.toThrow('hash requests with different keys')
  expect(await findMoveState(cell('a').database, 'acme')).toEqual({ move: null, cell: null })
})

test('a key that another customer has in the other cell is refused before anything is copied', async () => {
  const { id } = await addKey(cell('a').database, { customerId: 'acme' })
  await addKey(cell('b').database, { customerId: 'other' })
  await cell('b').database.run({ text: 'update api_keys set id = $1', values: [id] })
  await expect(move('a', 'b')).rejects.toThrow(`The cell b has the key ${id} of another customer.`)
  expect(await findMoveState(cell('b').database, 'acme')).toBeUndefined()
})

test('one process at a time moves a customer', async () => {
  await addCustomer(cell('a').database, 'acme')
  await withMoveLock(cell('a').database, 'acme', async () => {
    await expect(move('a', 'b')).rejects.toThrow('Another process is moving acme.')
    await expect(abort('a', 'b')).rejects.toThrow(MoveRefused)
  })
})

test.each(['moved', 'gone'] as const)(
  'a move that is %s is not aborted: the new cell keeps its rows',
  async (state) => {
    await put('a', state, 'b')
    await cell('b').database.run({
      text: 'truncate runs, run_inputs, run_results, event_rows, journal, turns, signals',
    })
    await seedCustomer(cell('b').database, 'acme', 1).catch(() => undefined)
    const before = await rowsOfCustomer(cell('b').database, 'acme')
    await expect(abort('a', 'b')).rejects.toThrow(MoveRefused)
    expect(await rowsOfCustomer(cell('b').database, 'acme')).toEqual(before)
  },
)

test('the source of a move is where the customer lives, or what it has left', async () => {
  await put('a', 'held', 'b')
  expect((await findCellOf('acme', cells, cell('b'))).name).toBe('a')
  await put('a', 'moved', 'b')
  await put('b', 'arriving', 'a')
  expect((await findCellOf('acme', cells, cell('b'))).name).toBe('a')
  await put('a', 'gone', 'b')
  await setMoveState(cell('b').database, 'acme', { move: null, cell: null })
  await expect(findCellOf('acme', cells, cell('b'))).rejects.toThrow('acme is already in b.')
  await expect(findCellOf('nobody', cells, cell('b'))).rejects.toThrow('No cell has a customer nobody.')
})
