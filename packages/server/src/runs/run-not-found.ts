// The same answer for a run that does not exist, that belongs to another customer, or whose id is malformed.
import { ServiceError } from '../domain/service-error.ts'

export const runNotFound = (): ServiceError => new ServiceError('RUN_NOT_FOUND', 'There is no run with this id.')
