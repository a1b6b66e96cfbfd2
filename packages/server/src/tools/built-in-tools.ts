// The tools that come with the service.
import { calculator } from './calculator.ts'
import { currentTime } from './current-time.ts'
import { createHttpFetch } from './http-fetch.ts'
import { jsonQuery } from './json-query.ts'
import { runJavascript } from './run-javascript.ts'
import type { Tool } from './tool.ts'
import { wait } from './wait.ts'

export const builtInTools = (): readonly Tool[] => [
  calculator,
  currentTime,
  wait,
  runJavascript,
  jsonQuery,
  createHttpFetch(),
]
