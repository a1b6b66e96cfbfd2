// Why a request was refused: thrown by the checks, worded by the wire format.

interface RefusalDetails {
  readonly status?: number
  /** The provider's error type, for example `invalid_request_error`. */
  readonly type?: string
  readonly code?: string | null
  readonly param?: string | null
}

export class Refusal extends Error {
  readonly status: number
  readonly type: string | undefined
  readonly code: string | null
  readonly param: string | null

  constructor(message: string, { status = 400, type, code = null, param = null }: RefusalDetails = {}) {
    super(message)
    this.status = status
    this.type = type
    this.code = code
    this.param = param
  }
}
