// A move that is not possible, with the reason and what to do.

export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}
