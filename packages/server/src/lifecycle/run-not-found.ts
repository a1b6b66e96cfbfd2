// One answer for a run that does not exist, belongs to someone else, or whose id is no id.
import { ServiceError } from '../domain/service-error.ts'

export const runNotFound = (): ServiceError => new ServiceError('RUN_NOT_FOUND', 'There is no run with this id.')
