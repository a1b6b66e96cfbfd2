// The refusal of an id that is not that of a key of the customer.
import { ServiceError } from '../domain/service-error.ts'

export const keyNotFound = (): ServiceError => new ServiceError('KEY_NOT_FOUND', 'No API key has this id.')
