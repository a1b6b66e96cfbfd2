// The tools that come with the service.

import { createHttpFetch } from '../http-fetch/http-fetch.ts'
import type { Tool } from '../port/tool.ts'
import { runJavascript } from '../run-javascript/run-javascript.ts'
import { calculator } from './calculator.ts'
import { currentTime } from './current-time.ts'
import { jsonQuery } from './json-query.ts'
import { wait } from './wait.ts'

export const builtInTools = (): readonly Tool[] => [
  calculator,
  currentTime,
  wait,
  runJavascript,
  jsonQuery,
  createHttpFetch(),
]
