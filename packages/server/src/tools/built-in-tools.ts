// The tools that come with the service.
import { calculator } from './calculator.ts'
import { currentTime } from './current-time.ts'
import type { Tool } from './tool.ts'
import { wait } from './wait.ts'

export const builtInTools = (): readonly Tool[] => [calculator, currentTime, wait]
