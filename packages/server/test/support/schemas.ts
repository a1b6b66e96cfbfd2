// The threads that compile and check schemas, shared by the tests of a file: idle threads do not keep a process alive.
import { openSchemaLanes } from '../../src/runtime/schemas/schema-lanes.ts'

export const testSchemas = openSchemaLanes()
